import { render } from 'solid-js/web';
import { Checkout } from './Checkout.jsx';

render(() => <Checkout />, document.querySelector('#app'));
