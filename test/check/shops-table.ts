/**
 * What the check finds in each shop of test/shops before it has Cardseal: what left, how, in which
 * field of the form, and the place, in a library without the line. Afterwards it finds nothing in any
 * of them, and each pays. A shop that needs the library to work is not in the table: there is no page
 * of it without Cardseal.
 */
export const BEFORE: { [shop: string]: string[] } = {
  plain: ['clear text, number+name+code, form, card_number'],
  'woo-checkout': ['clear text, number+code+name, XMLHttpRequest, woo-checkout.html:51, jquery.js'],
  'woo-saved-cards': ['clear text, number+name+code, form, card_number'],
  'opencart-panel': [
    'clear text, number+code+name, XMLHttpRequest, opencart-panel.html:36, jquery.js',
  ],
  'zencart-check': ['clear text, name+number+code, form, card_name'],
  'solidus-gateway': ['clear text, name+number+code, form, card_name'],
  'nop-onepage': ['clear text, number+code+name, XMLHttpRequest, nop-onepage.html:46, jquery.js'],
  'edd-click': [
    'clear text, number+code+name, XMLHttpRequest, edd-click.html:40, jquery.js',
    'clear text, number+code+name, form, card_number, edd-click.html:41',
  ],
  'civi-contribution': ['clear text, number+code, form, card_number'],
  'presta-click': [
    'clear text, number+name+code, form, card_number, presta-click.html:28, jquery.js',
  ],
  'bootstrap3-validate': ['clear text, number+name+code, form, card_number'],
  'validate-submit-handler': [
    'clear text, number+code+name, XMLHttpRequest, validate-submit-handler.html:27, jquery.js',
  ],
  'jquery-serialize': [
    'clear text, number+code+name, XMLHttpRequest, jquery-serialize.html:25, jquery.js',
  ],
  'jquery-payment-example': [
    'clear text, number+code+name, XMLHttpRequest, jquery-payment-example.html:51, jquery.js',
  ],
  'knockout-checkout': [
    'clear text, number+code+name, XMLHttpRequest, knockout-checkout.html:53, jquery.js',
  ],
  'parsley-form': ['clear text, number+name+code, form, card_number'],
  'bootstrap5-validation': ['clear text, name+number+code, form, card_name'],
  'async-validator': ['clear text, number+name+code, form, card_number, async-validator.html:37'],
  'captcha-submit': ['clear text, number+name+code, form, card_number, captcha-submit.html:31'],
  'captcha-request': ['clear text, number+name+code, form, card_number, captcha-request.html:29'],
  'rails-ujs': ['clear text, number+code+name, XMLHttpRequest, rails-ujs.js'],
  'turbo-form': ['clear text, number+name+code, fetch, card_number, turbo.js'],
  'htmx-form': ['clear text, number+code+name, XMLHttpRequest, htmx.js'],
  'livewire-morph': ['clear text, number+name+code, fetch, card_number, livewire-morph.html:48'],
  'button-outside': ['clear text, number+name+code, form, card_number'],
  'payment-methods': ['clear text, name+number+code, form, holder'],
  'multi-step': ['clear text, number+name+code, form, card_number'],
  'new-tab': ['clear text, number+name+code, form, card_number'],
  'bank-frame': ['clear text, number+name+code, form, card_number'],
  'in-iframe': ['clear text, number+name+code, form, card_number'],
  'mobile-and-desktop': ['clear text, number+code, form, card_number'],
  'nested-forms': ['clear text, number+name+code, form, card_number'],
  dialog: ['clear text, number+name+code, form, card_number'],
  'shadow-root': ['clear text, number+name+code, form, card_number'],
  imask: ['clear text, number+name+code, form, card_number'],
  cleave: ['clear text, number+name+code, form, card_number'],
  brazil: ['clear text, number+name+code, form, card_number'],
  'floating-labels': ['clear text, number+name+code, form, card_number'],
  'password-manager': ['clear text, number+name+code, form, card_number'],
  arabic: ['clear text, number+name+code, form, card_number'],
  korea: ['clear text, name+code+number, form, card_name'],
  japan: ['clear text, number+name+code, form, card_number'],
  turkey: ['clear text, number+code+name, XMLHttpRequest, turkey.html:48'],
  france: ['clear text, number+name+code, form, card_number'],
  india: ['clear text, number+name+code, form, card_number'],
  german: ['clear text, number+name+code, form, card_number'],
  'billing-name': ['clear text, name+number+code, form, billing[name]'],
  'coupon-button': ['clear text, number+name+code, form, card_number'],
  'click-handler': ['clear text, number+name+code, fetch, card_number, click-handler.html:24'],
  'vue-checkout': ['clear text, number+name+code, fetch, card_number, vue-checkout.html:39'],
  'alpine-checkout': ['clear text, number+name+code, fetch, card_number, alpine-checkout.html:17'],
  'own-guard': ['clear text, number+name+code, form, card_number'],
  'web-forms': ['clear text, number+name+code, form, card_number, web-forms.html:32'],
  clobbered: ['clear text, number+name+code, form, card_number'],
  'express-buttons': ['clear text, number+name+code, form, card_number'],
  'fetch-form-data': ['clear text, number+name+code, fetch, card_number, fetch-form-data.html:26'],
};
