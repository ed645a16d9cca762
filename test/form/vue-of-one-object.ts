import { defineComponent, h, ref } from 'vue';

const FIELDS = { number: 'cc-number', name: 'cc-name', expiry: 'cc-exp', cvv: 'cc-csc' };
type Card = Record<keyof typeof FIELDS, string>;

/** Controls with one object as their model: each change replaces it by a copy of the last one. */
const CardInput = defineComponent<{ modelValue: Card }>({
  props: ['modelValue'] as never,
  emits: ['update:modelValue'],
  setup: (props, { emit }) => {
    const control = ([field, autocomplete]: string[]) =>
      h('input', {
        autocomplete,
        value: props.modelValue[field as keyof Card],
        onInput: ({ target }: { target: HTMLInputElement }) =>
          emit('update:modelValue', { ...props.modelValue, [field!]: target.value }),
      });
    return () => Object.entries(FIELDS).map(control);
  },
});

/** A form whose card is one object. `card` is the object of now. */
export const CardOfOneObject = defineComponent({
  setup: (_, { expose }) => {
    const card = ref<Card>({ number: '', name: '', expiry: '', cvv: '' });
    expose({ card });
    return () =>
      h('form', { method: 'post' }, [
        h(CardInput, {
          modelValue: card.value,
          'onUpdate:modelValue': (next: Card) => {
            card.value = next;
          },
        } as never),
        h('button', 'Pay'),
      ]);
  },
});
