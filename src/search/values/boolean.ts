import { type Reading, shown } from './reading.ts'

/** `true` or `false`, in any case. */
export function readBoolean(text: string): Reading<boolean> {
  const folded = text.toLowerCase()
  if (folded === 'true' || folded === 'false') return { ok: true, value: folded === 'true' }
  return {
    ok: false,
    mistake: {
      code: 'value.boolean-invalid',
      message: `${text === '' ? 'An empty value' : shown(text)} isn't true or false.`,
      instead: yes.has(folded) ? ['true'] : no.has(folded) ? ['false'] : ['true', 'false'],
    },
  }
}

const yes = new Set(['yes', 'y', 'on', '1', 't', 'enabled'])
const no = new Set(['no', 'n', 'off', '0', 'f', 'disabled'])
