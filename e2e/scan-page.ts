import type { Locator, Page } from '@playwright/test'

/** The one sentence that answers the page's question. */
export function headline(page: Page): Locator {
  return page.getByRole('heading', { level: 1 })
}

/** A policy by the last part of its URI. */
export function policy(page: Page, name: string): Locator {
  return page.locator(`[data-policy-uri$="/${name}"]`)
}
