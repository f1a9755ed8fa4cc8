import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useServices } from '../../data/core/services.ts'
import { entryScript, type ReleaseWatch, watchRelease } from '../../data/wall/wall-release.ts'

/** How long after the last sign of a person the controls and the pointer are hidden, ms. */
const patienceMs = 5000
const signs = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const

/** Whether nobody has touched the screen for a while. */
export function useIdle(): boolean {
  const { clock } = useServices()
  const [isIdle, setIdle] = useState(false)
  useEffect(() => {
    let cancel = clock.after(patienceMs, rest)
    function rest(): void {
      setIdle(true)
    }
    function wake(): void {
      cancel()
      cancel = clock.after(patienceMs, rest)
      setIdle(false)
    }
    for (const sign of signs) document.addEventListener(sign, wake)
    return () => {
      cancel()
      for (const sign of signs) document.removeEventListener(sign, wake)
    }
  }, [clock])
  return isIdle
}

/** The inner size of an element, px; undefined before it was measured. */
export function useSize(
  element: RefObject<HTMLElement | null>,
): { readonly width: number; readonly height: number } | undefined {
  const [size, setSize] = useState<{ width: number; height: number }>()
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = current
      setSize((known) =>
        known?.width === width && known.height === height ? known : { width, height },
      )
    })
    observer.observe(current)
    return () => {
      observer.disconnect()
    }
  }, [element])
  return size
}

/**
 * Keeps the screen from going dark, where the browser can. A lock is lost whenever the page is hidden,
 * and cannot be used again: each time the page is seen a new one is requested.
 */
export function useWakeLock(): void {
  useEffect(() => {
    if (!('wakeLock' in navigator)) return
    let lock: WakeLockSentinel | undefined
    let isGone = false

    function take(): void {
      if (document.visibilityState !== 'visible') return
      navigator.wakeLock.request('screen').then(
        (taken) => {
          if (isGone) void taken.release()
          else lock = taken
        },
        // Low on power, or forbidden: the screen goes dark when its owner wants it to.
        () => undefined,
      )
    }

    take()
    document.addEventListener('visibilitychange', take)
    return () => {
      isGone = true
      document.removeEventListener('visibilitychange', take)
      void lock?.release()
    }
  }, [])
}

/** Reloads a wall that is old or out of date, when nobody minds; see wall-release.ts. */
export function useRelease(now: {
  readonly isQuiet: boolean
  readonly isInUse: boolean
  /** What is shown may be old. */
  readonly isStale: boolean
}): void {
  const { clock, fetch } = useServices()
  const latest = useRef(now)
  const watch = useRef<ReleaseWatch>(undefined)
  useEffect(() => {
    const wasStale = latest.current.isStale
    latest.current = now
    if (wasStale && !now.isStale) watch.current?.lookNow()
  })
  useEffect(() => {
    const watching = watchRelease({
      clock,
      fetch,
      running: entryScript(document.documentElement.outerHTML),
      hour: () => new Date(clock.now()).getHours(),
      isQuiet: () => latest.current.isQuiet,
      isInUse: () => latest.current.isInUse,
      reload: () => {
        location.reload()
      },
    })
    watch.current = watching
    return () => {
      watching.end()
    }
  }, [clock, fetch])
}

/** Keeps the shell of the wall on this device once it is shown, so that it opens without the proxy. */
export function useOfflineShell(isShown: boolean): void {
  useEffect(() => {
    if (isShown) void startWallWorker(entryScript(document.documentElement.outerHTML))
  }, [isShown])
}

/** Gives the whole document the colours of a wall, and what it had before when the wall is left. */
export function useScheme(scheme: 'dark' | 'light'): void {
  useLayoutEffect(() => {
    const root = document.documentElement
    let before = root.getAttribute(attribute)
    root.setAttribute(attribute, scheme)
    // When the device goes dark in the evening, the page follows it; the wall does not.
    const observer = new MutationObserver(() => {
      const own = root.getAttribute(attribute)
      if (own === scheme) return
      before = own
      root.setAttribute(attribute, scheme)
    })
    observer.observe(root, { attributeFilter: [attribute] })
    return () => {
      observer.disconnect()
      if (before !== null) root.setAttribute(attribute, before)
    }
  }, [scheme])
}

const attribute = 'data-mantine-color-scheme'

const script = '/wall-worker.js'

/**
 * Starts the service worker of the walls (public/wall-worker.js) with the list of files that this page
 * consists of. Only for a built page: while it is developed its files change under their names.
 */
async function startWallWorker(entry: string | undefined): Promise<void> {
  if (!('serviceWorker' in navigator) || entry?.startsWith('/assets/') !== true) return
  try {
    const registration = await navigator.serviceWorker.register(script, {
      scope: '/wall',
      updateViaCache: 'none',
    })
    await navigator.serviceWorker.ready
    registration.active?.postMessage({ type: 'keep', entry, files: loadedFiles() })
  } catch {
    // Not allowed here, as on plain HTTP: the wall works, but does not open without the proxy.
  }
}

/** The files of the built client that this page has loaded so far. */
function loadedFiles(): string[] {
  const loaded = performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name, location.href))
    .filter(({ origin, pathname }) => origin === location.origin && isShell(pathname))
    .map(({ pathname }) => pathname)
  return [...new Set(loaded)]
}

function isShell(path: string): boolean {
  return path.startsWith('/assets/') || /^\/(?:icon-\w+\.svg|(?:no-eval|frame)\.js)$/.test(path)
}

/**
 * How far the picture stands beside its place in a minute, px: never further than `amplitude` to any
 * side, a few pixels from one minute to the next, and back where it began after about a day.
 */
export function driftAt(
  minute: number,
  amplitude: number,
): { readonly x: number; readonly y: number } {
  return {
    x: Math.round(amplitude * Math.sin(minute / 9)),
    y: Math.round(amplitude * Math.sin(minute / 7 + 1)),
  }
}

/** Within 24 px from side to side on large screens, and less on small ones. */
export function driftAmplitude(width: number): number {
  return Math.max(2, Math.min(12, Math.round(width / 120)))
}

/** Whether an hour of the day lies from `from` up to `to`, over midnight where that is later. */
export function isDimmed(hour: number, { from, to }: { from: number; to: number }): boolean {
  if (from === to) return false
  return from < to ? hour >= from && hour < to : hour >= from || hour < to
}

const measured = new Map<string, number>()
const mostMeasured = 5000
const measuredAt = 100
let context: OffscreenCanvasRenderingContext2D | null | undefined

/** How wide a text is in the typeface of the page, px at a size of 1 px. What was measured once is known. */
export function textWidth(text: string, isBold: boolean): number {
  const key = `${isBold ? 'b' : 'n'}${text}`
  const known = measured.get(key)
  if (known !== undefined) return known
  context ??= new OffscreenCanvas(1, 1).getContext('2d')
  // Where a browser has no canvas, about as wide as letters are.
  let width = text.length * 0.56
  if (context !== null) {
    const family = getComputedStyle(document.documentElement).getPropertyValue('--font-sans')
    context.font = `${isBold ? 600 : 400} ${measuredAt}px ${family}`
    width = context.measureText(text).width / measuredAt
  }
  if (measured.size >= mostMeasured) measured.clear()
  measured.set(key, width)
  return width
}
