import { type Html, html } from '../checkout/html.ts';
import type { FAULTS } from './faults.ts';
import { TEST_CARDS, type TestCard } from './test-cards.ts';

/**
 * Puts the explanation into a page of the checkout, which knows nothing of it. Its script comes
 * first: it must hear all that the form tells.
 */
export function explain(page: string): string {
  return page
    .replace(
      '<head>',
      `<head>${html`<script type="module" src="/explained/panel.js"></script>`.markup}`,
    )
    .replace(
      '</head>',
      `${html`<link rel="stylesheet" href="/explained/explained.css">`.markup}</head>`,
    )
    .replace('<body>', '<body class="explained">')
    .replace('<main>', () => `${hasForm(page) ? testCards.markup : ''}<main>`)
    .replace('</main>', () => `</main>${beside(hasForm(page)).markup}${leave.markup}`);
}

function hasForm(page: string): boolean {
  return page.includes('autocomplete="cc-number"');
}

const testCards = html`
    <section class="try" aria-labelledby="try-title">
      <h2 id="try-title">Take a test card</h2>
      <p class="hint">This is a demo: no money moves. Never type the number of a real card.</p>
      <ul>${TEST_CARDS.map((card, i) => html`<li>${testCard(card, i)}</li>`)}</ul>
    </section>
    `;

function testCard({ number, name, brand, outcome }: TestCard, i: number): Html {
  const tone = outcome === 'approved' ? 'good' : 'bad';
  return html`<button type="button" class="chip" data-card="${i}"
        ><span class="chip-name">${name}</span>
        <span class="chip-card">${brand} <span class="bytes">…${number.slice(-4)}</span></span>
        <span class="chip-outcome" data-tone="${tone}">${outcome}</span></button>`;
}

const FAULT_TEXTS: Record<(typeof FAULTS)[number], [name: string, what: string]> = {
  none: ['Nothing', 'The payment is not disturbed.'],
  declined: ['A declined card', 'The service declines it. That is an outcome, not an error.'],
  scheme: [
    'Another scheme',
    'The key arrives under RSA_OAEP_SHA512_V2, which the page does not know.',
  ],
  bad_key: [
    'A bad key',
    'One bit of the key is changed on its way to the page: its modulus is even.',
  ],
  expired_key: ['An expired key', 'The key expired a minute ago, and only the service notices.'],
  layout: [
    'A changed layout',
    'On its way to the merchant, the layout counts one byte of the name to the number.',
  ],
};

const faults = html`
    <section class="faults" aria-labelledby="faults-title">
      <fieldset>
        <legend><h2 id="faults-title">What should go wrong?</h2></legend>
        ${Object.entries(FAULT_TEXTS).map(
          ([fault, [name, what]]) => html`<div class="fault">
          <span class="choice"><input type="radio" name="fault" id="fault-${fault}"
            value="${fault}" aria-describedby="fault-${fault}-what">
          <label for="fault-${fault}">${name}</label></span>
          <p id="fault-${fault}-what" class="fault-text">${what}</p>
        </div>`,
        )}
      </fieldset>
    </section>`;

const STATIONS: [id: string, title: string, where: string][] = [
  ['page', 'Five fields, one string of bytes', 'In the page'],
  ['left', 'The block that leaves the page', 'On the way'],
  ['received', 'What the server received', 'At the merchant'],
  ['answer', 'What the service answered', 'At the service'],
  ['intent', 'The payment’s states', 'The intent'],
];

const journey = html`
    <aside class="journey" aria-labelledby="journey-title">
      <h2 id="journey-title">What happens to the card</h2>
      <p class="hint">This panel belongs to the demo. It listens to the page beside it, which works
        the same without it.</p>
      <ol>${STATIONS.map(
        ([id, title, where], i) => html`
        <li class="station" id="station-${id}" data-state="waiting">
          <span class="marker" aria-hidden="true">${i + 1}</span>
          <p class="where">${where}</p>
          <h3>${title}</h3>
          <p class="state"></p>
          <div class="story"></div>
        </li>`,
      )}
      </ol>
      <p class="announcement" role="status"></p>
    </aside>`;

const beside = (withFaults: boolean) => html`
    <div class="beside">${withFaults ? faults : undefined}${journey}</div>`;

const leave = html`
    <footer class="leave">
      <a href="/checkout">See a checkout without the explanation</a>
    </footer>`;
