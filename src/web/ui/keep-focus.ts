import type { Clock } from '../../protocol/clock.ts'

/** How long what takes the focus by itself, such as a dialog that closes, has to do so, ms. */
const patience = 60
const tabbable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'

/** What is opened beside or above the page, and closed again. */
const opened = 'aside, [role="dialog"]'

/**
 * Where what has the focus goes away, or can no longer have it, what is nearest to it in the same
 * part of the page gets it, and where a panel closes, what had the focus before: a keyboard goes on from
 * there, and not from the top of the page. It begins before the page is drawn: whoever knows where
 * things are presses keys as soon as they are seen.
 */
export function keepFocus({ after }: Clock): void {
  let last: Place | undefined = placeOf(document.activeElement)
  let isAwaited = false
  /** By panel, from where the focus came into it. */
  const openers = new WeakMap<Element, Place | undefined>()

  function look(): void {
    isAwaited = false
    if (last === undefined || document.activeElement !== document.body) return
    // Somebody who clicks beside everything wants the focus nowhere.
    const place = canHaveFocus(last.element) ? undefined : stillThere(last)
    if (place === undefined) last = undefined
    else (nearest(place) ?? document.getElementById('main'))?.focus()
  }

  /** The place itself, or of a panel that is gone the one from which it was opened: none where nothing had the focus. */
  function stillThere(place: Place): Place | undefined {
    const { panel } = place
    if (panel?.isConnected !== false || !openers.has(panel)) return place
    const opener = openers.get(panel)
    return opener && stillThere(opener)
  }

  function lookSoon(): void {
    if (isAwaited || last === undefined || document.activeElement !== document.body) return
    isAwaited = true
    after(patience, look)
  }

  function onFocusIn({ target }: FocusEvent): void {
    const place = placeOf(target)
    if (place?.panel && !openers.has(place.panel)) openers.set(place.panel, last)
    last = place
  }
  function onFocusOut({ relatedTarget }: FocusEvent): void {
    // At this moment nothing says whether it goes away.
    if (relatedTarget === null) after(0, lookSoon)
  }
  const observer = new MutationObserver(lookSoon)
  document.addEventListener('focusin', onFocusIn)
  document.addEventListener('focusout', onFocusOut)
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled', 'hidden', 'inert'],
  })
}

interface Place {
  readonly element: Element
  /** The innermost first. */
  readonly around: readonly Element[]
  readonly panel: Element | null
  readonly box: DOMRect
}

function placeOf(target: EventTarget | null): Place | undefined {
  if (!(target instanceof Element) || target === document.body) return undefined
  const around: Element[] = []
  for (let one = target.parentElement; one !== null; one = one.parentElement) around.push(one)
  return {
    element: target,
    around,
    panel: target.closest(opened),
    box: target.getBoundingClientRect(),
  }
}

/** The nearest element that takes the focus, in the innermost remaining part around the old one. */
function nearest({ element, around, box }: Place): HTMLElement | undefined {
  if (element instanceof HTMLElement && canHaveFocus(element)) return element
  for (const part of around) {
    if (!part.isConnected || part === document.body) continue
    const [first] = [...part.querySelectorAll<HTMLElement>(tabbable)]
      .filter(canHaveFocus)
      .map((one) => ({ one, far: distance(one.getBoundingClientRect(), box) }))
      .toSorted((a, b) => a.far - b.far)
    if (first !== undefined) return first.one
  }
  return undefined
}

function distance(one: DOMRect, other: DOMRect): number {
  return Math.hypot(
    one.left + one.width / 2 - other.left - other.width / 2,
    one.top + one.height / 2 - other.top - other.height / 2,
  )
}

function canHaveFocus(one: Element): boolean {
  return (
    one.isConnected &&
    one.getClientRects().length > 0 &&
    getComputedStyle(one).visibility === 'visible' &&
    one.closest('[inert], :disabled') === null
  )
}
