import { createContext, type ReactElement, useContext, useId, useLayoutEffect } from 'react'

/** A key that does something on this page, and the words for it in the list of keys. */
export interface KeyBinding {
  /** As keyStroke says them: "j", "g f", "mod+k". The first is the one that is shown. */
  readonly keys: readonly [string, ...string[]]
  readonly label: string
  /** Whether it makes sense from the command palette, too. */
  readonly isCommand?: true
  readonly run: () => void
}

export interface KeyGroup {
  readonly heading: string
  readonly bindings: readonly KeyBinding[]
}

/** What keys do at this moment: screens put theirs in while they are shown. */
interface KeyRegistry {
  readonly put: (owner: string, group: KeyGroup) => void
  readonly remove: (owner: string) => void
  readonly groups: () => readonly KeyGroup[]
}

/** An empty registry. */
export function createKeyRegistry(): KeyRegistry {
  const groups = new Map<string, KeyGroup>()
  return {
    put: (owner, group) => {
      groups.set(owner, group)
    },
    remove: (owner) => {
      groups.delete(owner)
    },
    groups: () => [...groups.values()],
  }
}

export const KeyContext = createContext<KeyRegistry | undefined>(undefined)

/** The page's registry. Throws an Error outside a KeyContext. */
export function useKeyRegistry(): KeyRegistry {
  const registry = useContext(KeyContext)
  if (registry === undefined) throw new Error('no KeyContext')
  return registry
}

/** Makes keys work, and be listed under "?", while the calling component is shown. */
export function useKeys(heading: string, bindings: readonly KeyBinding[]): void {
  const registry = useKeyRegistry()
  const owner = useId()
  // Without a list of dependencies on purpose: `run` closes over what was last rendered. Once that is
  // seen its keys may be pressed, which an effect after the paint would miss.
  useLayoutEffect(() => {
    registry.put(owner, { heading, bindings })
  })
  useLayoutEffect(
    () => () => {
      registry.remove(owner)
    },
    [registry, owner],
  )
}

/** j and k, or the arrows, for a step to the next or the previous one. */
export function stepKeys(noun: string, step: (by: 1 | -1) => void): readonly KeyBinding[] {
  return [
    {
      keys: ['j', 'arrowdown'],
      label: `Next ${noun}`,
      run: () => {
        step(1)
      },
    },
    {
      keys: ['k', 'arrowup'],
      label: `Previous ${noun}`,
      run: () => {
        step(-1)
      },
    },
  ]
}

/**
 * Lets j and k, or the arrows, lead through the elements of a list: to the one after or before the one
 * whose entry (`li` or `details`) has the focus, or to the first or last one. Enter opens them by itself.
 */
export function useListKeys(
  heading: string,
  noun: string,
  elements: () => Iterable<HTMLElement>,
): void {
  const move = (step: 1 | -1): void => {
    const all = [...elements()]
    const at = all.findIndex((one) =>
      (one.closest('li, details') ?? one).contains(document.activeElement),
    )
    const next = at === -1 ? (step === 1 ? 0 : all.length - 1) : at + step
    all[Math.min(all.length - 1, Math.max(0, next))]?.focus()
  }
  useKeys(heading, stepKeys(noun, move))
}

/** Keeps what is typed until something gets the focus, or Escape; returns what hands it over, once. */
export function typeAhead(): () => string {
  let text = ''
  const take = (event: KeyboardEvent): void => {
    const isBackspace = event.key === 'Backspace'
    if (event.key === 'Escape') end()
    if ((event.key.length > 1 && !isBackspace) || event.ctrlKey || event.metaKey) return
    text = isBackspace ? text.slice(0, -1) : text + event.key
    event.preventDefault()
    event.stopPropagation()
  }
  window.addEventListener('keydown', take, true)
  const end = (): void => {
    window.removeEventListener('keydown', take, true)
  }
  window.addEventListener('focusin', end, { once: true })
  return () => {
    const all = text
    text = ''
    return all
  }
}

/** How long the first key of a sequence waits for the second, ms. */
const patience = 1500

/** Runs the bindings of `registry` as keys are pressed anywhere on the page. */
export function useKeyListener(registry: KeyRegistry): void {
  useLayoutEffect(() => {
    /** The first key of a sequence, and when it was pressed: how long the page takes doesn't count. */
    let first: { readonly stroke: string; readonly at: number } | undefined

    function onKeyDown(event: KeyboardEvent): void {
      const stroke = keyStroke(event)
      if (stroke === undefined || event.defaultPrevented || isForSomebodyElse(event, stroke)) return
      const bindings = registry.groups().flatMap((group) => group.bindings)
      const at = event.timeStamp
      const before = first !== undefined && at - first.at <= patience ? first.stroke : undefined
      const match = matchKeys(
        bindings.flatMap((binding) => binding.keys),
        before,
        stroke,
      )
      first = undefined
      if (match === undefined) return
      event.preventDefault()
      if ('wait' in match) {
        first = { stroke: match.wait, at }
        return
      }
      // The innermost screen was put in last, and is asked first.
      bindings.findLast((binding) => binding.keys.includes(match.found))?.run()
    }

    document.addEventListener('keydown', onKeyDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
    }
  }, [registry])
}

/** Keys typed into a field, or within something that lies above the page, are not for the page. */
function isForSomebodyElse(event: KeyboardEvent, stroke: string): boolean {
  const target = event.target instanceof Element ? event.target : undefined
  if (target?.closest('dialog, [role="dialog"], [role="listbox"]')) return true
  if (stroke.startsWith('mod+')) return false
  if (target?.closest('input, textarea, select, [contenteditable="true"]')) return true
  const activates = stroke === 'space' ? 'button, summary, [role="button"]' : 'button, summary, a'
  return (stroke === 'space' || stroke === 'enter') && Boolean(target?.closest(activates))
}

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

/** Keys as they stand on keyboards, those of a sequence in their order: "G" and "F", "Ctrl+Shift+F", "⌘K". */
export function keyWords(keys: string, isMac: boolean): readonly string[] {
  return keys.split(' ').map((stroke) =>
    stroke
      .toLowerCase()
      // A plus at the end is the key itself.
      .split(/\+(?!$)/)
      .map(
        (name) =>
          (isMac ? macWords[name] : undefined) ??
          words[name] ??
          name.replace(/^./, (letter) => letter.toUpperCase()),
      )
      .join(isMac ? '' : '+'),
  )
}

const words: Readonly<Record<string, string>> = {
  mod: 'Ctrl',
  escape: 'Esc',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
}
const macWords: Readonly<Record<string, string>> = { mod: '⌘', ctrl: '⌃', shift: '⇧', alt: '⌥' }

/** Keys as they stand on the keyboard of this machine. */
export function KeyHint({ keys }: { keys: string }): ReactElement {
  const words = keyWords(keys, /Mac|iPhone|iPad/.test(navigator.userAgent))
  return (
    <span>
      {words.map((word, index) => (
        <span key={`${index} ${word}`}>
          {index > 0 && ' then '}
          <kbd>{word}</kbd>
        </span>
      ))}
    </span>
  )
}
