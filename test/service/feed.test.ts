import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Feed } from '../../src/service/feed.ts';

it('a feed passes each value to every listener until the listener is removed', () => {
  const feed = new Feed<number>();
  const heard: number[] = [];
  const end = feed.subscribe((value) => heard.push(value));
  feed.publish(1);
  end();
  feed.publish(2);
  expect(heard).toEqual([1]);
});

it('a feed gives a follower the earlier values and then every later value, until the feed is closed', async () => {
  const feed = new Feed<number>();
  const following = (async () => {
    const heard: number[] = [];
    for await (const value of feed.follow([1])) {
      heard.push(value);
      if (value === 3) feed.publish(4);
    }
    return heard;
  })();
  await sleep(1);
  feed.publish(2);
  feed.publish(3);
  await sleep(1);
  feed.publish(5);
  feed.close();
  expect(await following).toEqual([1, 2, 3, 4, 5]);
});

it('each follower of a feed can stop independently', async () => {
  const feed = new Feed<number>();
  for await (const value of feed.follow([1, 2])) {
    expect(value).toBe(1);
    break;
  }
  feed.publish(3);
  feed.close();
});
