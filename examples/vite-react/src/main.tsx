import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Checkout as ActionState } from './ActionState.tsx';
import { Checkout as HookForm } from './HookForm.tsx';

const PAGES = { '/action-state': ActionState, '/hook-form': HookForm };

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
