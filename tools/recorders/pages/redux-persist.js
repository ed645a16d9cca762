import { createStore } from 'redux';
import { persistReducer, persistStore } from 'redux-persist';

/** Not the package's own, which a bundler's interop breaks. */
const storage = {
  getItem: async (key) => localStorage.getItem(key),
  setItem: async (key, value) => localStorage.setItem(key, value),
  removeItem: async (key) => localStorage.removeItem(key),
};
const reducer = (state = {}, action) =>
  action.type === 'typed' ? { ...state, [action.field]: action.value } : state;
const config = {
  key: 'checkout',
  storage,
  ...(location.search.includes('whitelist') && { whitelist: ['city'] }),
};
const store = createStore(persistReducer(config, reducer));
persistStore(store);
document.addEventListener('change', ({ target: { id, value } }) => {
  if (value) store.dispatch({ type: 'typed', field: id, value });
});
window.kept = async () => JSON.stringify({ ...localStorage });
