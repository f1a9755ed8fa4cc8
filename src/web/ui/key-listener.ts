import { useEffect } from 'react'
import type { KeyRegistry } from './key-registry.ts'
import { keyStroke, matchKeys } from './key-stroke.ts'

/** How long the first key of a sequence waits for the second, ms. */
const patience = 1500

/** Runs the bindings of `registry` as keys are pressed anywhere on the page. */
export function useKeyListener(registry: KeyRegistry): void {
  useEffect(() => {
    let before: string | undefined
    let forget: ReturnType<typeof setTimeout> | undefined

    function onKeyDown(event: KeyboardEvent): void {
      const stroke = keyStroke(event)
      if (stroke === undefined || event.defaultPrevented || isForSomebodyElse(event, stroke)) return
      const bindings = registry.groups().flatMap((group) => group.bindings)
      const match = matchKeys(
        bindings.flatMap((binding) => binding.keys),
        before,
        stroke,
      )
      clearTimeout(forget)
      before = undefined
      if (match === undefined) return
      event.preventDefault()
      if ('wait' in match) {
        before = match.wait
        forget = setTimeout(() => {
          before = undefined
        }, patience)
        return
      }
      // The innermost screen was put in last, and is asked first.
      bindings.findLast((binding) => binding.keys.includes(match.found))?.run()
    }

    document.addEventListener('keydown', onKeyDown)
    return () => {
      clearTimeout(forget)
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
