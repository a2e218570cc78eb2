// The dashboard: the coordinator's page for operators, label holders and owners. All that it shows and does goes through /v1.
import 'f3:colours.css';
import './style/page.css';
import './style/parts.css';
import './style/charts.css';
import './style/graph.css';
import './style/print.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { watchConnection } from './coordinator/connection.ts';
import { startSession } from './session.ts';

watchConnection();
void startSession();
const place = document.getElementById('app');
if (place) {
  place.textContent = '';
  render(<App />, place);
}
