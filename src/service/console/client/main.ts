import { follow } from './api.ts';
import { DetailPane } from './detail-pane.ts';
import { byId } from './element.ts';
import { ExchangeList } from './exchange-list.ts';
import { Forms } from './forms.ts';
import { Tables } from './tables.ts';

const pane = new DetailPane((id) => {
  list.select(null);
  list.focus(id);
});
const list = new ExchangeList((row) => {
  list.select(row.id);
  void pane.show(row);
});
const forms = new Forms();
const tables = new Tables({
  searchFor: (text) => list.searchFor(text),
  playIn: (gsID) => forms.choose(gsID),
});
const live = byId('live');

await follow({
  begun: () => list.clear(),
  exchanges: (rows) => {
    list.take(rows);
    if (rows.some(({ id }) => id === pane.id)) void pane.refresh();
  },
  state: (state) => {
    forms.take(state);
    tables.take(state);
  },
  connection: (state, message) => {
    live.dataset.state = state;
    if (live.textContent !== message) live.textContent = message;
  },
});
