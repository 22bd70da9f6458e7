/** A believable utility company: what `npm run demo` shows. */
import type { StepAction } from '../../src/shared/contract';

export const topics: readonly (readonly [title: string, description: string])[] = [
  ['Vehicle service', 'Service dates and recalls for vans and trailers.'],
  ['Road closures', 'Closed roads and bridges on the way to our sites.'],
  ['Training dates', 'Courses, refreshers and exams, with the places that are still free.'],
  ['Customer notices: Harbour', 'Planned interruptions for customers in the harbour district.'],
  ['Customer notices: North', 'Planned interruptions for customers in the north district.'],
  ['Tool calibration', 'Meters and torque tools due for calibration within 30 days.'],
  [
    'Safety bulletins',
    'Recalls, incidents and checks from the safety office. Read before the next job.',
  ],
  ['Spare parts', 'Parts that are ready for pick-up at the depot.'],
  [
    'Maintenance windows',
    'Planned work on substations and lines, announced two weeks ahead and again on the day before.',
  ],
  ['On-call changes', 'Swaps and gaps in this week’s on-call plan.'],
  [
    'Grid outages',
    'Unplanned outages in the north and harbour districts, with the expected time of repair.',
  ],
  [
    'Storm and flood warnings',
    'Severe weather for each district: wind above 20 m/s, floods, black ice. Field work outdoors stops when this topic says so, and resumes with the message that ends the warning.',
  ],
];

/** What sends by itself, and to which topic. */
export const keys: readonly (readonly [topic: string, name: string])[] = [
  ['Grid outages', 'Grafana'],
  ['Grid outages', 'SCADA north'],
  ['Spare parts', 'Depot scanner'],
];

export const admins = ['ada.lindqvist', 'office.north'];

export const customers = [
  'coldstore-east',
  'harbour-office',
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

export const technicians = [
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

export const messages: readonly (readonly [topic: string, text: string])[] = [
  [
    'Grid outages',
    'Harbour district, feeder 7: power is off since 06:40. Crew on site, repair expected by 09:30.',
  ],
  [
    'Grid outages',
    'Harbour district, feeder 7: power is back for all customers. Thank you for the quick work.',
  ],
  ['Spare parts', 'The 24 kV fuses for substation Mill Lane are at the depot, shelf C4.'],
  ['On-call changes', 'Saturday night: T. Nakamura takes over from M. Okafor, same phone number.'],
  [
    'Storm and flood warnings',
    'North district: gusts up to 24 m/s from 14:00. No work on poles until further notice.',
  ],
];

/** The last message is under the first of them. */
export const policies: readonly {
  name: string;
  quorum: number | null;
  ofTopics: readonly string[];
  steps: readonly { minutes: number; action: StepAction; topic?: string }[];
}[] = [
  {
    name: 'Storm',
    quorum: 8,
    ofTopics: ['Storm and flood warnings'],
    steps: [
      { minutes: 3, action: 'repeat' },
      { minutes: 5, action: 'mail' },
      { minutes: 6, action: 'repeat' },
      { minutes: 15, action: 'webhook' },
      { minutes: 20, action: 'notify', topic: 'On-call changes' },
    ],
  },
  {
    name: 'Until everybody has answered',
    quorum: null,
    ofTopics: ['Grid outages', 'Safety bulletins'],
    steps: [
      { minutes: 3, action: 'repeat' },
      { minutes: 30, action: 'repeat' },
      { minutes: 60, action: 'mail' },
    ],
  },
];

/** Who has quiet hours. */
export const sleeper = 'm.okafor';

/** Who was added last, in this order. */
export const latest = [
  'erik.dahl',
  'coldstore-east',
  'm.okafor',
  'ada.lindqvist',
  't.nakamura',
  'lucia.fernandez',
  'harbour-office',
  'j.petrov',
  'sana.rahimi',
  'depot.north',
];
