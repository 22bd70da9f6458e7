import { useEffect, useState } from 'react';
import { phoneModel } from '../../../platform/phone-model';
import { guessDeviceType } from '../../../platform/push/notifications';
import { Select } from '../../../ui/forms/Select';
import { findAdvice, type Advice, type DeliveryProblem } from './advice';
import { browserName, guessMake, type Make } from '../../../state/reach/phone-makes';
import { ADVICE_BY_MAKE } from './advice-by-make';

/** Makes of phones, and computers by browser. */
const OPTIONS: [Make, string][] = (Object.keys(ADVICE_BY_MAKE) as Make[]).map((make) => [
  make,
  {
    Android: 'Another Android phone',
    Chrome: 'Computer with Chrome or Edge',
    Firefox: 'Computer with Firefox',
  }[make as string] ?? make,
]);

/** Advice for this make and problem; the most likely is open. */
export function TestHelp({ problem }: { problem: DeliveryProblem }) {
  const browser = browserName(navigator.userAgent);
  const device = { browser, deviceType: guessDeviceType() };
  const [make, setMake] = useState<Make>(guessMake({ ...device, model: '' }));
  useEffect(() => {
    let isUnmounted = false;
    void phoneModel().then((model) => {
      if (model && !isUnmounted) setMake(guessMake({ ...device, model }));
    });
    return () => {
      isUnmounted = true;
    };
  }, []);
  const list = findAdvice(make, problem, browser === 'Safari' ? 'your browser' : browser);
  return (
    <section aria-labelledby="help">
      <h2 id="help">
        {problem === 'missing'
          ? `The usual cause on ${ADVICE_BY_MAKE[make].name}`
          : 'What you can do'}
      </h2>
      <div className="panel">
        {list.map((advice, index) => (
          <Item key={`${make} ${advice.title}`} advice={advice} open={index === 0} />
        ))}
        <details>
          <summary>Another make: Xiaomi, Huawei, Oppo, …</summary>
          <div>
            <Select
              label="Your device"
              name="make"
              options={OPTIONS}
              value={make}
              onChoose={setMake}
            />
            <small>
              Based on{' '}
              <a href="https://dontkillmyapp.com" target="_blank" rel="noreferrer">
                dontkillmyapp.com
              </a>{' '}
              (CC BY 4.0).
            </small>
          </div>
        </details>
      </div>
    </section>
  );
}

const Item = ({ advice: { title, steps }, open: isOpen }: { advice: Advice; open: boolean }) => (
  <details open={isOpen}>
    <summary>{title}</summary>
    {steps.length > 1 ? (
      <ol>
        {steps.map((step) => (
          <li key={step}>
            <Words text={step} />
          </li>
        ))}
      </ol>
    ) : (
      <p>
        <Words text={steps[0] ?? ''} />
      </p>
    )}
  </details>
);

/** A sentence with names of settings between asterisks. */
const Words = ({ text }: { text: string }) => (
  <>
    {text.split('*').map((part, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence stay in their order
      index % 2 ? <b key={index}>{part}</b> : part,
    )}
  </>
);
