/** A believable utility company, for `npm run demo`. */
import type { Priority, StepAction, WebhookEvent } from '../../src/shared/contract';
import type { PhoneBehavior } from './phones/phone';
import type { Receiver } from './phones/push-service';

export const DEMO_ADMIN = 'demo';

export const sampleTopics: readonly (readonly [title: string, description: string])[] = [
  ['Vehicle service', 'Service dates and recalls for vans and trailers.'],
  ['Road closures', 'Closed roads and bridges near our sites.'],
  ['Training dates', 'Courses, refreshers and exams, with free places.'],
  ['Customer notices: Harbor', 'Planned interruptions for customers in the harbor district.'],
  ['Customer notices: North', 'Planned interruptions for customers in the north district.'],
  ['Tool calibration', 'Meters and torque tools due for calibration within 30 days.'],
  [
    'Safety bulletins',
    'Recalls, incidents and checks from the safety office. Read them before your next job.',
  ],
  ['Spare parts', 'Parts ready for pick-up at the depot.'],
  [
    'Maintenance windows',
    'Planned work on substations and lines, announced two weeks ahead and again the day before.',
  ],
  ['On-call changes', 'Swaps and gaps in this week’s on-call plan.'],
  [
    'Grid outages',
    'Unplanned outages in the north and harbor districts, with the expected time of repair.',
  ],
  [
    'Storm and flood warnings',
    'Severe weather for each district: wind above 20 m/s, floods, black ice. Field work outdoors stops when this topic says so, and resumes when the warning ends.',
  ],
];

/** Technicians join them in turn; `topics` are those that a team is subscribed to. */
export const sampleTeams: readonly {
  name: string;
  description: string;
  topics: readonly string[];
}[] = [
  {
    name: 'North crew',
    description: 'Poles and lines, north district.',
    topics: ['Grid outages', 'Road closures'],
  },
  { name: 'Harbor crew', description: 'Substations and cables around the harbor.', topics: [] },
  {
    name: 'On call this week',
    description: 'Changes every Monday at 8:00.',
    topics: ['Grid outages'],
  },
];

export const sampleKeys: readonly (readonly [topic: string, name: string])[] = [
  ['Grid outages', 'Grafana'],
  ['Grid outages', 'SCADA north'],
  ['Spare parts', 'Depot scanner'],
];

export const sampleAdmins = ['ada.lindqvist', 'office.north'];

export const sampleCustomers = [
  'coldstore-east',
  'harbor-office',
  'north-clinic',
  'ferry-terminal',
  'city-waterworks',
  'old-mill-bakery',
  'dockside-hotel',
  'westfield-school',
  'fish-market',
  'lighthouse-museum',
  'greenhouse-14',
  'quarry-south',
  'tram-depot',
  'arena-north',
];

export const sampleTechnicians = [
  'm.okafor',
  't.nakamura',
  'lucia.fernandez',
  'j.petrov',
  'sana.rahimi',
  'erik.dahl',
  'depot.north',
  'a.kowalska',
  'b.oduya',
  'c.moreau',
  'd.haugen',
  'e.papadopoulos',
  'f.rossi',
  'g.horvat',
  'h.yilmaz',
  'i.novak',
  'k.lund',
  'l.silva',
  'm.abebe',
  'n.fischer',
  'o.berg',
  'p.dubois',
  'q.tran',
  'r.singh',
  's.kim',
  'u.jansen',
  'v.ivanova',
  'w.ncube',
  'x.zhang',
  'y.cohen',
  'z.ali',
  'anna.virtanen',
  'bela.szabo',
  'carlos.mendez',
  'dana.popescu',
  'elif.kaya',
  'finn.murphy',
  'greta.olsen',
  'hana.sato',
  'ivan.horak',
  'jonas.weber',
  'kofi.mensah',
  'lena.brandt',
];

export type SampleTime = readonly [daysAgo: number, time: string] | { minutesAgo: number };

export interface SampleMessage {
  when: SampleTime;
  topic: string;
  person?: string;
  /** An administrator. A topic with a key gets its messages from its newest key instead. */
  by?: string;
  text: string;
  answers?: readonly string[];
  priority?: Priority;
  corrected?: Follow;
  allClear?: Follow;
}
/** What the sender did with it later. */
interface Follow {
  minutesLater: number;
  text: string;
}

/** A technician who may send to the topics. */
export const sampleSender = {
  username: 'l.silva',
  topics: ['Road closures', 'Tool calibration'],
};

export const sampleMessages: readonly SampleMessage[] = [
  {
    when: [20, '08:05'],
    topic: 'Maintenance windows',
    by: 'demo',
    text: 'Substation Mill Lane: line 2 is switched off on Thursday from 09:00 to 13:00.',
  },
  {
    when: [18, '06:47'],
    topic: 'Grid outages',
    text: 'Harbor district, feeder 7: power has been off since 06:40. Crew on site, repair expected by 09:30.',
    answers: ['Got it'],
    allClear: {
      minutesLater: 153,
      text: 'Power is back for all customers. Thank you for the quick work.',
    },
  },
  {
    when: [16, '10:30'],
    topic: 'Customer notices: Harbor',
    by: 'office.north',
    text: 'Planned interruption on Monday from 22:00 to 23:30 in Quay Street 1 to 40.',
  },
  {
    when: [12, '07:30'],
    topic: 'Safety bulletins',
    by: 'demo',
    text: 'Recall: voltage testers VT-9, serial numbers 4400 to 4900. Do not use them. Hand them in at the depot.',
    answers: ['Checked mine', 'I have one'],
  },
  {
    when: [9, '11:12'],
    topic: 'Spare parts',
    text: 'The 24 kV fuses for substation Mill Lane are at the depot, shelf C4.',
  },
  {
    when: [8, '06:15'],
    topic: 'Road closures',
    by: 'ada.lindqvist',
    text: 'The bridge at Old Mill is closed until Friday. Use the ferry road to reach sites in the north.',
  },
  {
    when: [6, '15:40'],
    topic: 'On-call changes',
    by: 'demo',
    text: 'Saturday night: T. Nakamura takes over from M. Okafor, same phone number.',
    answers: ['OK'],
  },
  {
    when: [5, '09:00'],
    topic: 'Vehicle service',
    by: 'office.north',
    text: 'Vans 11 to 18: winter tires on Tuesday and Wednesday, depot north, 20 minutes each.',
    priority: 'info',
  },
  {
    when: [3, '12:10'],
    topic: 'Storm and flood warnings',
    by: 'ada.lindqvist',
    text: 'North district: gusts up to 24 m/s from 14:00. No work on poles until further notice.',
    answers: ['Safe', 'Need help'],
    priority: 'urgent',
    corrected: {
      minutesLater: 40,
      text: 'North and harbor districts: gusts up to 31 m/s from 13:30. No work on poles until further notice.',
    },
  },
  {
    when: [1, '16:25'],
    topic: 'Spare parts',
    text: 'Cable drum 95 mm² for Dock Road is ready for pick-up, gate 2.',
  },
  {
    when: { minutesAgo: 95 },
    topic: 'Maintenance windows',
    by: 'demo',
    text: 'Tomorrow 09:00 to 13:00: line 2 at substation Mill Lane is switched off.',
  },
  {
    when: { minutesAgo: 40 },
    topic: 'Training dates',
    person: 'k.lund',
    by: 'ada.lindqvist',
    text: 'The first-aid refresher on Thursday has two free places.',
    priority: 'info',
  },
  {
    when: { minutesAgo: 2.5 },
    topic: 'Grid outages',
    person: 'm.okafor',
    text: 'North district, feeder 3: the power has been off for a few minutes. Who can be on site within the hour?',
    answers: ['On my way', 'Can’t come'],
    priority: 'urgent',
  },
];

/** Receivers in the demo, by their paths (`push-service.ts`). The second one returns 500. */
export const sampleWebhooks = [
  { path: '/sms-gateway', events: [] },
  { path: '/control-room', events: ['message.sent', 'message.acknowledged'] },
] as const satisfies readonly { path: Receiver; events: readonly WebhookEvent[] }[];

export const samplePolicies: readonly {
  name: string;
  quorum: number | null;
  ofTopics: readonly string[];
  steps: readonly { minutes: number; action: StepAction; topic?: string; webhook?: Receiver }[];
}[] = [
  {
    name: 'Storm',
    quorum: 12,
    ofTopics: ['Storm and flood warnings'],
    steps: [
      { minutes: 2, action: 'repeat' },
      { minutes: 4, action: 'repeat' },
      { minutes: 15, action: 'webhook', webhook: '/sms-gateway' },
      { minutes: 20, action: 'notify', topic: 'On-call changes' },
    ],
  },
  {
    name: 'Until everyone has answered',
    quorum: null,
    ofTopics: ['Grid outages', 'Safety bulletins'],
    steps: [
      { minutes: 3, action: 'repeat' },
      { minutes: 4, action: 'mail' },
      { minutes: 5, action: 'webhook', webhook: '/control-room' },
      { minutes: 30, action: 'repeat' },
    ],
  },
];

/** Quiet hours: one person sleeps at night, the other one while someone watches the demo. */
export const sleepingPerson = 'm.okafor';
export const personInQuietHours = 'k.lund';

export const unregisteredPeople: readonly string[] = [
  'erik.dahl',
  'sana.rahimi',
  'depot.north',
  'lena.brandt',
  'kofi.mensah',
  'arena-north',
];

/** Phones that fail on purpose; all others display pushes at once. */
export const failingPhones: Readonly<Record<string, PhoneBehavior>> = {
  'h.yilmaz': 'late',
  'o.berg': 'late',
  'dana.popescu': 'late',
  'b.oduya': 'silent',
  's.kim': 'silent',
  'r.singh': 'refused',
  'p.dubois': 'lost',
  'w.ncube': 'leaving',
};
export const peopleWithoutDevice: readonly string[] = ['x.zhang', 'fish-market'];
/** An administrator removed this person's only device; the next one blocked notifications. */
export const personWithRemovedDevice = 'finn.murphy';
export const personWhoBlocked = 'anna.virtanen';
export const peopleWithOneDevice: readonly string[] = [personWithRemovedDevice, personWhoBlocked];
/** A person who registered a device a moment ago, so nothing was sent to it yet. */
export const personJustRegistered = 'quarry-south';

/** Has not opened the app for weeks, so it has something new to show. */
export const personWithUnreadMessages = 'm.okafor';

export const latestMessages = [
  'erik.dahl',
  'coldstore-east',
  'm.okafor',
  'ada.lindqvist',
  't.nakamura',
  'lucia.fernandez',
  'harbor-office',
  'j.petrov',
  'sana.rahimi',
  'depot.north',
];
