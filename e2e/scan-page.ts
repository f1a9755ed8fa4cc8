import type { Locator, Page } from '@playwright/test'

/** The one sentence that answers the page's question. */
export function headline(page: Page): Locator {
  return page.getByRole('heading', { level: 1 })
}

/** A policy by the last part of its URI. */
export function policy(page: Page, name: string): Locator {
  return page.locator(`[data-policy-uri$="/${name}"]`)
}

/** Opens the page of a policy scan and evaluates it: opening it alone evaluates nothing. */
export async function evaluateAt(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page
    .getByRole('button', { name: /^Evaluate( again)?$/ })
    .first()
    .click()
}
