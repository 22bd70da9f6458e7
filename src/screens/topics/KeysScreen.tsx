import { useParams } from 'wouter';
import { readTopic, TOPIC_FAILED } from '../../state/topics/topics';
import { Failure, Skeleton, useKeepFocus } from '../../ui/page';
import { useLoad } from '../lists/use-load';
import { TopicKeys } from './TopicKeys';
import { TopicHeader } from './TopicHeader';

/** A topic's keys as a screen. */
export function KeysScreen() {
  const { topicId = '' } = useParams<{ topicId: string }>();
  const { value: topic, failure, retry } = useLoad(topicId, readTopic, TOPIC_FAILED);
  useKeepFocus(topic === undefined);
  return (
    <>
      <TopicHeader topicId={topicId} title={topic?.title} view="Keys" />
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!topic && !failure && <Skeleton />}
      {topic && <TopicKeys topic={topic} />}
    </>
  );
}
