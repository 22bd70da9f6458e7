import { useParams } from 'wouter';
import { readTopic, TOPIC_FAILED } from '../../state/topics/topics';
import { Failure, Skeleton, useFocusKept } from '../../ui/page';
import { useLoad } from '../lists/use-load';
import { TopicKeys } from './Keys';
import { TopicTop } from './TopicTop';

/** A topic's keys as a screen. */
export function KeysScreen() {
  const { topicId = '' } = useParams<{ topicId: string }>();
  const { value: topic, failure, retry } = useLoad(topicId, readTopic, TOPIC_FAILED);
  useFocusKept(topic === undefined);
  return (
    <>
      <TopicTop topicId={topicId} title={topic?.title} here="Keys" />
      {failure && <Failure retry={retry}>{failure}</Failure>}
      {!topic && !failure && <Skeleton />}
      {topic && <TopicKeys topic={topic} />}
    </>
  );
}
