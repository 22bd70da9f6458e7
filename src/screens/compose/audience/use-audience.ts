import type { Audience, Priority } from '../../../shared/contract';
import { AUDIENCE_COUNT_FAILED, countComposedAudience } from '../../../state/messages/audience';
import type { ComposedMessage } from '../../../state/messages/composing';
import { useLoad } from '../../lists/use-load';
import { useDebounced } from '../use-debounced';

/** How long to wait for more changes before counting. */
const EDITING_PAUSE_MS = 300;

/** The response names its request, so that older responses are ignored. */
const countAudience = async (request: string) => {
  const [to, priority] = JSON.parse(request) as [ComposedMessage['to'], Priority];
  return { request, audience: await countComposedAudience(to, priority) };
};

interface Counted {
  /** The server's count of exactly these recipients; undefined while the server counts. */
  countedAudience: Audience | undefined;
  /** Older counts stay until the new ones are there, so they do not flicker. */
  shownAudience: Audience | undefined;
  failure: string;
  reload: () => void;
}

/** Counts a message's recipients whenever they change. */
export function useAudience({ to, priority }: ComposedMessage): Counted {
  const request = JSON.stringify([to, priority]);
  const { value, failure, reload } = useLoad(
    useDebounced(request, EDITING_PAUSE_MS),
    countAudience,
    AUDIENCE_COUNT_FAILED,
  );
  const audience = value?.audience;
  const counts = value?.request === request ? audience : undefined;
  const previousAudience = !failure && audience?.people ? audience : undefined;
  return {
    countedAudience: counts,
    shownAudience: to.length > 0 ? (counts ?? previousAudience) : undefined,
    failure,
    reload,
  };
}
