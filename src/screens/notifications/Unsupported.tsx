import { installation } from '../../platform/install/install';
import { missingFeatures } from '../../state/device/permission';

/** Names the browser's missing features; on iOS says how to get them. */
export function Unsupported() {
  const names = missingFeatures.value;
  return (
    <p className="note" data-tone="warn" role="status">
      Push notifications are not supported in this browser. You can still use the app, but
      notifications will not work.{' '}
      {installation.value === 'instructions' && names.includes('push messages') && (
        <>
          On iPhone and iPad, notifications work after you add the app to your Home Screen. Press{' '}
          <b>Install App</b>.{' '}
        </>
      )}
      <small>
        Push notifications are not supported in your browser because it lacks{' '}
        {new Intl.ListFormat(LOCALE).format(names)}.
        {names.includes('service workers') && ' PWA is not supported in this browser'}
      </small>
    </p>
  );
}
