/** What of a KeyboardEvent says which key was pressed. */
export type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/**
 * The name of a key press as bindings write it: "j", "?", "space", "arrowdown", "mod+k" (Control or
 * Command). Undefined for what no binding uses: other modifiers, and modifier keys by themselves.
 */
export function keyStroke(pressed: PressedKey): string | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = pressed
  if (altKey || ['Shift', 'Control', 'Meta', 'Alt', 'Dead', 'Process'].includes(key))
    return undefined
  const name = key === ' ' ? 'space' : key.toLowerCase()
  const isLetter = name.length === 1 && name !== key.toUpperCase()
  if (ctrlKey || metaKey) return shiftKey ? undefined : `mod+${name}`
  // Shift belongs to "?" but makes another key of a letter or an arrow.
  return shiftKey && (isLetter || name.length > 1) ? undefined : name
}

/** Whether `stroke` begins or ends a sequence such as "g f", given what was pressed before it. */
export function matchKeys(
  bindings: readonly string[],
  before: string | undefined,
  stroke: string,
): { readonly found: string } | { readonly wait: string } | undefined {
  const sequence = before === undefined ? stroke : `${before} ${stroke}`
  if (bindings.includes(sequence)) return { found: sequence }
  if (bindings.some((binding) => binding.startsWith(`${sequence} `))) return { wait: sequence }
  // A sequence that went nowhere does not swallow the key that ended it.
  return before === undefined ? undefined : matchKeys(bindings, undefined, stroke)
}

/** Keys as a person reads them: "g then f", "Ctrl K". */
export function keyWords(keys: string, isMac: boolean): readonly string[] {
  return keys.split(' ').map((stroke) => {
    const [name = '', modifier] = stroke.split('+').reverse()
    const word = words[name] ?? (modifier === undefined ? name : name.toUpperCase())
    return modifier === undefined ? word : isMac ? `⌘${word}` : `Ctrl+${word}`
  })
}

const words: Readonly<Record<string, string>> = {
  space: 'Space',
  enter: 'Enter',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
  home: 'Home',
  end: 'End',
  f8: 'F8',
}
