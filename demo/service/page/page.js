/**
 * The page of the sandbox: what happens, as it happens, and the switches. It listens to
 * `/sandbox/events` and calls the controls that `/openapi.json` describes.
 */

const MOST_PAYMENTS = 50;
const MOST_REQUESTS = 200;

/** How far the clock of the sandbox is ahead of this browser's, in milliseconds. */
let ahead = 0;

const find = (id) => document.getElementById(id);

listen();
bindControls();
fillLines();
setInterval(showNow, 1000);

function listen() {
  const events = new EventSource('/sandbox/events');
  const on = (type, act) => {
    events.addEventListener(type, (event) => {
      act(JSON.parse(event.data));
    });
  };
  on('everything', showEverything);
  on('payment', (payment) => {
    showPayment(payment);
    announce(payment);
  });
  on('request', showRequest);
  events.addEventListener('open', () => showConnection('Live'));
  events.addEventListener('error', () => showConnection('No connection. Trying again …'));
}

function showConnection(text) {
  find('connection').textContent = text;
  find('connection').classList.toggle('bad', text !== 'Live');
}

function showEverything(state) {
  ahead = state.now - Date.now();
  find('payments').replaceChildren();
  find('requests').replaceChildren();
  for (const payment of state.payments.toReversed()) showPayment(payment);
  for (const request of state.requests.toReversed()) showRequest(request);
  showEmptiness();
  showFaults(state.faults);
  showSettings(state);
  showNow();
}

function showSettings({ fresh_keys, explain, ahead_ms }) {
  const keys = fresh_keys ? 'a fresh key pair for each key' : 'key pairs are used again';
  find('settings').textContent = ` · ${keys}${explain ? ' · errors explain themselves' : ''}`;
  find('ahead').textContent = ahead_ms === 0 ? 'the real time' : describeAhead(ahead_ms);
}

function describeAhead(ms) {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  const parts = [days && `${days} d`, hours && `${hours} h`, `${minutes % 60} min`].filter(Boolean);
  return `${parts.join(' ')} ${ms > 0 ? 'ahead' : 'behind'}`;
}

// Payments

function showPayment({ account, intent, steps }) {
  const { id, status, failure_reason, description } = intent;
  const item = element('li', { id }, [
    element('div', { class: 'line' }, [
      element('span', { class: 'amount' }, [amountOf(intent)]),
      element('span', { class: 'status', 'data-status': status }, [
        failure_reason ? `${status}: ${failure_reason}` : status,
      ]),
      element('span', {}, [cardOf(intent)]),
      element('span', { class: 'quiet' }, [account]),
    ]),
    element('div', { class: 'id code' }, [id]),
    description ? element('div', { class: 'why quiet' }, [description]) : '',
    element(
      'ul',
      { class: 'steps' },
      steps.map(({ what, at }) => element('li', {}, [`${what} `, timeOf(at)])),
    ),
  ]);
  const old = document.getElementById(id);
  if (old) old.replaceWith(item);
  else find('payments').prepend(item);
  trim(find('payments'), MOST_PAYMENTS);
  showEmptiness();
}

function announce({ intent }) {
  find('announcement').textContent = `${amountOf(intent)} ${intent.status}`;
}

/** As people write it: `$10.00`. */
function amountOf({ amount, amount_refunded, currency }) {
  const refunded = amount_refunded ? `, ${money(amount_refunded, currency)} refunded` : '';
  return money(amount, currency) + refunded;
}

function money(minorUnits, currency) {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const { maximumFractionDigits: digits } = format.resolvedOptions();
  return format.format(minorUnits / 10 ** digits);
}

function cardOf({ payment_method, livemode }) {
  const card = payment_method ? `${payment_method.brand} •••• ${payment_method.last4}` : '';
  return livemode ? `${card} live mode` : card;
}

// Requests

function showRequest({ at, method, route, status, ms, code, reason, fault }) {
  const wrong = status >= 400 || fault !== null;
  const why = [fault && `goes wrong: ${fault}`, code, reason].filter(Boolean).join(': ');
  const item = element('li', {}, [
    element('div', { class: 'line' }, [
      element('span', { class: 'quiet' }, [timeOf(at)]),
      element('span', { class: 'route code' }, [`${method} ${route}`]),
      element('span', { class: wrong ? 'bad' : 'quiet' }, [
        fault === null ? `${status}, ${ms} ms` : 'fault',
      ]),
    ]),
    why ? element('div', { class: wrong ? 'why bad' : 'why' }, [why]) : '',
  ]);
  find('requests').prepend(item);
  trim(find('requests'), MOST_REQUESTS);
  showEmptiness();
}

function trim(list, most) {
  while (list.children.length > most) list.lastElementChild.remove();
}

function showEmptiness() {
  for (const name of ['payments', 'requests']) {
    find(`no-${name}`).hidden = find(name).children.length > 0;
  }
}

// Controls

function showFaults(faults) {
  for (const form of document.querySelectorAll('.fault')) {
    const armed = faults[form.dataset.operation];
    form.querySelector('[type=checkbox]').checked = armed !== null;
    if (armed === null) continue;
    form.elements.fault.value = armed.fault;
    chooseTimes(form.elements.times, armed.times);
  }
}

/** A fault that was switched on elsewhere may come any number of times. */
function chooseTimes(select, times) {
  const value = String(times ?? '');
  const known = [...select.options].some((option) => option.value === value);
  if (!known) select.append(new Option(`${value} times`, value));
  select.value = value;
}

function bindControls() {
  for (const form of document.querySelectorAll('.fault')) {
    form.addEventListener('change', (event) => changeFault(form, event.target));
    form.addEventListener('submit', (event) => event.preventDefault());
  }
  for (const button of document.querySelectorAll('[data-advance]')) {
    const advance_ms = Number(button.dataset.advance);
    button.addEventListener('click', () => control('clock', { advance_ms }));
  }
  const right = document.querySelector('[data-ahead]');
  right.addEventListener('click', () => control('clock', { ahead_ms: 0 }));
  for (const button of document.querySelectorAll('[data-copy]')) {
    button.addEventListener('click', () => copy(find(button.dataset.copy)));
  }
  find('reset').addEventListener('click', () => {
    if (confirm('Forget all payments and keys?')) control('reset');
  });
}

/** A choice counts when the switch is on. */
function changeFault(form, changed) {
  const isOn = form.querySelector('[type=checkbox]').checked;
  if (!isOn && changed.localName === 'select') return;
  const { fault, times } = form.elements;
  control('faults', {
    operation: form.dataset.operation,
    fault: isOn ? fault.value : null,
    times: times.value === '' ? null : Number(times.value),
  });
}

async function control(name, body) {
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    const response = await fetch(`/sandbox/${name}`, { method: 'POST', ...(body && json) });
    if (!response.ok) throw new Error(`The sandbox answers ${response.status}.`);
    find('announcement').textContent = 'Done';
  } catch (error) {
    showConnection(error.message);
  }
}

// Clock and lines to copy

function showNow() {
  const now = new Date(Date.now() + ahead);
  find('now').dateTime = now.toISOString();
  find('now').textContent = now.toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' });
}

function timeOf(at) {
  const text = new Date(at).toLocaleTimeString();
  return element('time', { datetime: new Date(at).toISOString() }, [text]);
}

function fillLines() {
  const { origin } = location;
  const key = 'sk_test_bookshop_published_key';
  find('curl').textContent =
    `curl ${origin}/payments/card -H 'Authorization: Bearer ${key}' ` +
    `-H 'Content-Type: application/json' -d '{"amount":1000,"currency":"USD"}'`;
  find('javascript').textContent =
    `import { CardPayments } from 'cardseal/checkout';\n` +
    `const payments = new CardPayments({ baseUrl: '${origin}', secretKey: '${key}' });\n` +
    `const intent = await payments.createIntent({ amount: 1000, currency: 'USD' });`;
}

/** Where the browser does not let a page copy (plain HTTP from elsewhere), the text is selected. */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
    find('announcement').textContent = 'Copied';
    say(source, 'Copied');
  } catch {
    getSelection().selectAllChildren(source);
    say(source, 'Selected: press Ctrl+C');
  }
}

/** On the button, for two seconds. */
function say(source, text) {
  const button = document.querySelector(`[data-copy=${source.id}]`);
  button.dataset.label ??= button.textContent;
  button.textContent = text;
  setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 2000);
}

/** An element with attributes and children. Texts stay texts: nothing is parsed as HTML. */
function element(name, attributes, children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
