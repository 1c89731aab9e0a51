import { startCopying } from './copying.ts';
import { startFilter } from './filter.ts';
import { startTheme } from './theme.ts';
import { follow, startUnfolding } from './unfolding.ts';

startTheme();
startUnfolding();
startCopying();
const filter = startFilter();

/** Scrolls to the element that the address names after `#`, even if it is folded or filtered out. */
function arrive(): void {
  const target = follow(location.hash);
  if (target === null) return;
  if (target.closest('[hidden]') !== null) filter.clear();
  target.scrollIntoView();
}

addEventListener('hashchange', arrive);
arrive();
