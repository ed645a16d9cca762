import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Checkout as Action } from './Action.tsx';
import { Checkout as ActionState } from './ActionState.tsx';
import { Checkout as Controlled } from './Controlled.tsx';
import { Checkout as Formik } from './Formik.tsx';
import { Checkout as HookForm } from './HookForm.tsx';
import { Checkout as Native } from './Native.tsx';

const PAGES = {
  '/native': Native,
  '/action': Action,
  '/action-state': ActionState,
  '/controlled': Controlled,
  '/hook-form': HookForm,
  '/formik': Formik,
};

function App() {
  const [path, setPath] = useState(location.pathname);
  const Page = PAGES[path as keyof typeof PAGES];
  if (Page) return <Page />;
  return Object.keys(PAGES).map((page) => (
    <button key={page} type="button" onClick={() => setPath(page)}>
      {page}
    </button>
  ));
}

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
