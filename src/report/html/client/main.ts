import { startCopying } from './copying.ts';
import { startFilter } from './filter.ts';
import { startTheme } from './theme.ts';
import { follow, startUnfolding } from './unfolding.ts';

startTheme();
startUnfolding();
startCopying();
const filter = startFilter();

const bar = document.querySelector<HTMLElement>('.bar');

/**
 * When the page scrolls to an element, leaves free space above this element. Without this space, the bar would hide the element.
 */
function leaveRoomForBar(): void {
  if (bar === null) return;
  const isStuck = getComputedStyle(bar).position === 'sticky';
  document.documentElement.style.scrollPaddingTop = isStuck ? `${bar.offsetHeight + 12}px` : '';
}

if (bar !== null) new ResizeObserver(leaveRoomForBar).observe(bar);
leaveRoomForBar();

/** Scrolls to the element that the address names after `#`, even if it is folded or filtered out. */
async function arrive(): Promise<void> {
  const target = await follow(location.hash);
  if (target === null) return;
  if (target.closest('[hidden]') !== null) filter.clear();
  target.scrollIntoView();
}

addEventListener('hashchange', () => void arrive());
void arrive();
