import type { Page } from '@playwright/test'

/** How a page drew for a while; times in ms. */
export interface Frames {
  readonly count: number
  readonly over50: number
  readonly worst: number
  readonly longTasks: number
}

/** Watches the page draw for so many ms. */
export function framesOf(page: Page, forMs: number): Promise<Frames> {
  return page.evaluate(async (ms) => {
    let longTasks = 0
    const observer = new PerformanceObserver((list) => {
      longTasks += list.getEntries().length
    })
    observer.observe({ type: 'longtask' })
    let count = 0
    let over50 = 0
    let worst = 0
    await new Promise<void>((resolve) => {
      const begin = performance.now()
      let last = begin
      const frame = (now: number): void => {
        count += 1
        worst = Math.max(worst, now - last)
        if (now - last > 50) over50 += 1
        last = now
        if (now - begin < ms) requestAnimationFrame(frame)
        else resolve()
      }
      requestAnimationFrame(frame)
    })
    observer.disconnect()
    return { count, over50, worst, longTasks }
  }, forMs)
}
