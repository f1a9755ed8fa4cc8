import axe, { type RunOptions } from 'axe-core'
import { type Page, expect } from '@playwright/test'

declare global {
  interface Window {
    readonly axe: typeof axe
  }
}

/** Rules whose answer depends on colors; all others hold in the light and in the dark alike. */
const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * Holds where axe finds nothing on the page as it stands, by all its rules in light colors and by
 * those about colors in dark ones, and where the page is no wider than its window. A wall has `own`
 * colors, whatever those of the device are: it is looked at in these alone.
 */
export async function expectAccessible(page: Page, own?: 'light' | 'dark'): Promise<void> {
  if (own === undefined) {
    await showIn(page, 'dark')
    await expectNoViolations(page, { runOnly: { type: 'rule', values: colorRules } }, 'dark')
  }
  await showIn(page, own ?? 'light')
  await expectNoViolations(page, {}, own ?? 'light')
  await expect
    .poll(
      () =>
        page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        ),
      'pixels that the page is wider than its window',
    )
    .toBeLessThanOrEqual(0)
}

/** Where the page as it stands is accessible on a desk and on a phone; it stays as wide as a phone. */
export async function expectAccessibleWideAndNarrow(page: Page): Promise<void> {
  for (const width of [1440, 390]) {
    await resize(page, { width, height: 900 })
    await expectAccessible(page)
  }
}

/** Gives the window another size; resolves when the page has been drawn in it. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size)
  await drawn(page)
}

/** Resolves when the page has been drawn once more. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

/**
 * Shows the page in the colors of a scheme; resolves when none is on its way there any more. A wall
 * keeps the colors of its settings.
 */
async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  if (!/^\/wall(?:\/|$)/.test(new URL(page.url()).pathname)) {
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
  }
  await expect.poll(() => page.evaluate(transitions), { intervals: [50] }).toBe(0)
}

/** How many transitions run where they can be seen; those of hidden elements stand still. */
function transitions(): number {
  return document
    .getAnimations()
    .filter((animation) => animation instanceof CSSTransition)
    .map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target : null))
    .filter((target) => target?.checkVisibility() === true).length
}

async function expectNoViolations(page: Page, rules: RunOptions, scheme: string): Promise<void> {
  // Each document gets axe once: reading and warming it up again takes as long as looking at a page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  expect(page.frames(), 'frames, of which axe would see the first alone').toHaveLength(1)
  const violations = await page.evaluate(violationsOf, rules)
  expect(violations.map((violation) => `${violation} in ${scheme} colors`)).toEqual([])
}

/** Runs in the page: each rule that is violated, with the first element that does. */
async function violationsOf(rules: RunOptions): Promise<readonly string[]> {
  // Only violations are described: what passes would take most of the time.
  const { violations } = await window.axe.run({ ...rules, resultTypes: ['violations'] })
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}
