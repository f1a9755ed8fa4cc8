import { type ElementHandle, expect, type Locator, type Page } from '@playwright/test'

interface Wanted {
  readonly handle: ElementHandle
  /** Undefined where it was gone at once. */
  readonly text: string | undefined
}

/**
 * Holds where the focus is on something of the page, where that shows it, and where a part of it can
 * be seen. What a page focuses by itself (its main part, its headline, a dialog) needs no ring.
 */
export async function expectFocusSeen(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(focusFault), { intervals: [20, 50, 100] }).toBe('')
}

/** Presses Tab until the target has the focus; at every stop on the way the focus is seen. */
export async function tabTo(page: Page, target: Locator, key = 'Tab', most = 80): Promise<void> {
  // A page that is not there yet has nothing to go on from.
  await expect(target.first()).toBeAttached()
  let wanted = await firstOf(target)
  const passed: string[] = []
  for (let count = 0; count < most; count++) {
    await page.keyboard.press(key)
    let stop = await stopOf(page, wanted)
    if (stop.isNothing) {
      // After the last stop the browser has the focus, which here is nothing.
      await page.keyboard.press(key)
      stop = await stopOf(page, wanted)
    }
    if (stop.fault !== '') {
      await expectFocusSeen(page)
      stop = await stopOf(page, wanted)
    }
    const isAsBefore = stop.text !== undefined && stop.text === wanted?.text
    if (stop.isWanted || !isAsBefore) {
      wanted = await firstOf(target)
      if ((await wanted?.handle.evaluate(hasFocus)) === true) return
    }
    passed.push(stop.name)
  }
  throw new Error(`${key} never reached ${target.toString()}, but ${passed.join(', ')}`)
}

/**
 * The first element that is meant, where there is one. Finding it by its role reads the whole page, so it
 * is kept until it is reached, goes away or says something else.
 */
async function firstOf(target: Locator): Promise<Wanted | undefined> {
  const [handle] = await target.elementHandles()
  return handle && { handle, text: await handle.evaluate(textOf) }
}

/** What has the focus, and what `wanted` says by now. */
async function stopOf(page: Page, wanted: Wanted | undefined) {
  const [fault, name, isNothing, isWanted, text] = await Promise.all([
    page.evaluate(focusFault),
    page.evaluate(focusName),
    page.evaluate(() => document.activeElement === document.body),
    wanted?.handle.evaluate(hasFocus),
    wanted?.handle.evaluate(textOf),
  ])
  return { fault, name, isNothing, isWanted, text }
}

/** Runs in the page: what an element says; undefined where it is gone. */
function textOf(element: Node): string | undefined {
  if (!element.isConnected) return undefined
  const label = element instanceof Element ? element.getAttribute('aria-label') : null
  return label ?? element.textContent ?? ''
}

/** Runs in the page. */
function hasFocus(element: Node): boolean {
  return element instanceof Element && element.matches(':focus')
}

/** Holds where the target has the focus and shows it. */
export async function expectFocused(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeFocused()
  await expectFocusSeen(page)
}

/** Runs in the page. */
function focusName(): string {
  const { activeElement } = document
  if (activeElement === null) return 'nothing'
  const name = activeElement.getAttribute('aria-label') ?? activeElement.textContent
  return `${activeElement.tagName.toLowerCase()} “${name.trim().slice(0, 40)}”`
}

/** Runs in the page: what is wrong with the focus as it stands, or nothing. */
function focusFault(): string {
  const one = document.activeElement
  if (one === null || one === document.body || one === document.documentElement)
    return 'the focus is lost'
  const name = `${one.tagName.toLowerCase()} “${(one.getAttribute('aria-label') ?? one.textContent).trim().slice(0, 40)}”`
  const isTarget = one.getAttribute('tabindex') === '-1' && !one.matches('a, button, input')
  const selected = one.getAttribute('aria-activedescendant')
  const shown = (selected === null ? null : document.getElementById(selected)) ?? one
  let ring = shown
  let hasRing = isTarget
  // A field may have its ring around all of it, a row of options on the one that Enter chooses.
  for (let up = 0; up < 5 && !hasRing; up++) {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(ring)
    hasRing = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
    if (ring.matches('input, textarea, select') && getComputedStyle(ring).borderStyle !== 'none')
      hasRing = true
    ring = ring.parentElement ?? ring
  }
  if (!hasRing) return `${name} has the focus and doesn't show it`
  if (isTarget) return ''
  const { left, top, right, bottom, width, height } = one.getBoundingClientRect()
  if (bottom <= 0 || right <= 0 || top >= innerHeight || left >= innerWidth)
    return `${name} has the focus outside of the window`
  const { opacity, pointerEvents } = getComputedStyle(one)
  // A box that its label draws, and what no pointer finds.
  if (width < 2 || height < 2 || opacity === '0' || pointerEvents === 'none') return ''
  const places = [0.02, 0.25, 0.5, 0.75, 0.98].flatMap((x) =>
    [0.1, 0.5, 0.9].map((y) => [left + width * x, top + height * y] as const),
  )
  const isSeen = places.some(([x, y]) => {
    const drawn = document.elementFromPoint(x, y)
    if (drawn === null) return false
    return one.contains(drawn) || drawn.contains(one) || drawn.closest('label')?.contains(one)
  })
  if (isSeen) return ''
  const over = document.elementFromPoint(left + width / 2, top + height / 2)
  return `${name} has the focus below ${over?.tagName.toLowerCase() ?? 'nothing'} “${over?.textContent.trim().slice(0, 40) ?? ''}”`
}
