import { byId } from '../../../pages/client/element.ts';
import { follow } from './api.ts';
import { DetailPane } from './detail-pane.ts';
import { ExchangeList } from './exchange-list.ts';
import { Forms } from './forms.ts';
import { LaunchForm } from './launch-form.ts';
import { OperatorPanel } from './operator-panel.ts';
import { Tables } from './tables.ts';
import { Tabs } from './tabs.ts';

const pane = new DetailPane((id) => {
  list.select(null);
  list.focus(id);
});
const tabs = new Tabs(() => pane.cover());
const list = new ExchangeList((row) => {
  list.select(row.id);
  void pane.show(row);
});
const forms = new Forms();
const launching = new LaunchForm();
const operator = new OperatorPanel();
const tables = new Tables({
  searchFor: (text) => {
    tabs.show('exchanges');
    list.searchFor(text);
  },
  playIn: (gsID) => {
    tabs.show('actions');
    forms.choose(gsID);
  },
});
const live = byId('live');
for (const id of ['play-launch', 'foreign-launch']) {
  byId(id).addEventListener('click', () => {
    tabs.show('sessions');
    launching.focus();
  });
}
// If no session is open, the form for a round is hidden, and its part of the page says what to do first.
byId('foreign-play').addEventListener('click', () => {
  tabs.show('actions');
  byId(byId('play-form').hidden ? 'play-launch' : 'play-session').focus();
});
byId('foreign-fault').addEventListener('click', () => {
  tabs.show('actions');
  byId('fault-call').focus();
});

await follow({
  begun: () => {
    list.clear();
    void launching.load();
  },
  exchanges: (rows) => {
    list.take(rows);
    if (rows.some(({ id }) => id === pane.id)) void pane.refresh();
  },
  state: (state) => {
    forms.take(state);
    tables.take(state);
    operator.take(state);
  },
  connection: (state, message) => {
    live.dataset.state = state;
    if (live.textContent !== message) live.textContent = message;
  },
});
