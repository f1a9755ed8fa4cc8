import { useLayoutEffect, useRef } from 'react'
import { type Location, useLocation } from 'react-router'
import type { Clock } from '../../protocol/clock.ts'
import { countText } from '../../protocol/count.ts'
import { useServices } from '../data/core/services.ts'
import type { FeedView } from '../data/live/feed-state.ts'
import { isUpToDate, lastMinute } from '../features/feed/feed-sentence.ts'
import { type TabIcon, useTab } from '../ui/base-path.ts'
import { shortenMiddle } from '../ui/format.ts'
import { useNow } from '../ui/time.tsx'

/** Keeps the title (of `page`) and the icon of the tab true, and where one was on each page; shows nothing itself. */
export function BrowserTab({ page = 'Page not found' }: { page: string | undefined }): null {
  const here = useLocation()
  const { feed } = useServices()
  const { title, icon } = documentState(feed.getSnapshot(), page, here, useNow())
  useTab(title, icon)
  usePagePlaces()
  return null
}

/** What the tab of the browser says. */
export interface DocumentState {
  readonly title: string
  readonly icon: TabIcon
}

/**
 * How the tab tells the state to somebody who looks at another one, by its icon and that of the feed in words, too: failures
 * of the last minute, or that the feed is not up to date. Of a page about one thing the title says which. `now` is epoch ms
 * by this browser's clock.
 */
export function documentState(
  view: FeedView,
  page: string,
  here: Pick<Location, 'pathname' | 'search'>,
  now: number,
): DocumentState {
  const { words, icon } = liveState(view, now)
  // Beside the name of something else they would be taken for what is said of that.
  const state = here.pathname === '/' ? words : undefined
  const parts = [state, subjectAt(here), page, 'Sightline']
  return { title: parts.filter((part) => part !== undefined).join(' · '), icon }
}

function liveState(view: FeedView, now: number): { readonly words?: string; icon: TabIcon } {
  const { connection } = view
  if (connection.state === 'idle' || connection.state === 'connecting') return { icon: 'quiet' }
  if (connection.state === 'catching-up') return { words: 'Catching up', icon: 'quiet' }
  if (!isUpToDate(view, now)) return { words: 'Not live', icon: 'stale' }
  const { builds, failed } = lastMinute(view, now + view.clockDifference)
  if (failed > 0) return { words: `${countText(failed)} failed`, icon: 'failed' }
  return { icon: builds > 0 ? 'good' : 'quiet' }
}

/** Which query, build, board, wall or package the page is about, by its address. */
function subjectAt({
  pathname,
  search,
}: Pick<Location, 'pathname' | 'search'>): string | undefined {
  const [, place, ...names] = pathname.split('/').map(decoded)
  if ((place === 'builds' || place === 'tests') && names.length === 0) {
    const query = new URLSearchParams(search).get('q')?.trim() ?? ''
    return query === '' ? undefined : query.length > 60 ? `${query.slice(0, 59)}…` : query
  }
  if (place === 'builds' || place === 'board') return names[0]
  if (place === 'walls') return names[1]
  if (place !== 'packages' || names.length === 0) return undefined
  const [scans, digest] = [names.indexOf('policy-scans'), names.indexOf('attestations') - 1]
  const end = scans > 0 ? scans : digest > 0 ? digest : names.length
  // Of a scan, and of a run of it or an attestation which one.
  const scan = scans > 0 ? names[scans + 1] : undefined
  const one = scans > 0 ? names[scans + 3] : digest > 0 ? names[digest + 3] : undefined
  const parts = [...names.slice(0, end).slice(-2), scan, one && shortenMiddle(one)]
  return parts.filter((part) => part !== undefined).join(' ')
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Where somebody was on a page. */
interface Place {
  /** How far the page and what scrolls within it were scrolled, px, by the classes of each; the page itself has ''. */
  readonly scrolled: Map<string, number>
  /** Where the link leads that had the focus last. */
  link: string | null
}

/** Of so many pages of the history it is kept. */
const mostPlaces = 100
/** For so long after going back what the page loads is waited for, ms. */
const patienceMs = 10_000

/**
 * Brings whoever goes back (or forward) to where they were on that page, and the focus to the link that they followed. What
 * scrolls may get its rows only later; whoever scrolls, presses or types meanwhile is left where they are. A page that is opened
 * begins at its top.
 */
function usePagePlaces(): void {
  const { key, pathname } = useLocation()
  const { clock } = useServices()
  const places = useRef(new Map<string, Place>())
  const last = useRef({ key, pathname })
  useLayoutEffect(() => {
    const main = document.getElementById('main')
    if (main === null) return
    const before = last.current
    last.current = { key, pathname }
    const isSamePage = before.pathname === pathname
    // What is opened has a key of its own.
    const known = places.current.get(key)
    const kept = known ?? (isSamePage ? places.current.get(before.key) : undefined)
    const place: Place = { scrolled: new Map(kept?.scrolled), link: kept?.link ?? null }
    places.current.delete(key)
    places.current.set(key, place)
    for (const old of places.current.keys()) {
      if (places.current.size > mostPlaces) places.current.delete(old)
    }
    if (!isSamePage && known === undefined) main.scrollTop = 0
    const stopReturn =
      isSamePage || known === undefined ? undefined : comeBack(main, known, clock.after)

    const scrolled = ({ target }: Event): void => {
      if (target instanceof HTMLElement && main.contains(target))
        place.scrolled.set(target === main ? '' : target.className, target.scrollTop)
    }
    const focused = (): void => {
      const { activeElement } = document
      if (activeElement !== null && activeElement !== main && main.contains(activeElement))
        place.link = activeElement.getAttribute('href')
    }
    // It may have got it before this was loaded.
    focused()
    document.addEventListener('scroll', scrolled, { capture: true, passive: true })
    document.addEventListener('focusin', focused)
    return () => {
      stopReturn?.()
      document.removeEventListener('scroll', scrolled, { capture: true })
      document.removeEventListener('focusin', focused)
    }
  }, [key, pathname, clock])
}

/** What somebody does who has begun to read. */
const acts = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const

/** Scrolls again, and gives the focus back, as soon as there is what was there; what it returns ends that. */
function comeBack(main: HTMLElement, { scrolled, link }: Place, after: Clock['after']): () => void {
  const left = new Map(scrolled)
  let href = link
  let frame = 0
  const look = (): void => {
    for (const [name, top] of left) {
      const element = name === '' ? main : main.getElementsByClassName(name)[0]
      if (element === undefined || element.scrollHeight - element.clientHeight < top) continue
      element.scrollTop = top
      left.delete(name)
    }
    const back = href === null ? href : main.querySelector(`[href="${CSS.escape(href)}"]`)
    // A new page takes the focus first (shell.tsx).
    if (back instanceof HTMLElement && document.activeElement === main) {
      back.focus({ preventScroll: true })
      href = null
    }
    if (left.size === 0 && href === null) end()
  }
  const soon = (): void => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(look)
  }
  const observer = new MutationObserver(soon)
  const cancel = after(patienceMs, end)
  main.addEventListener('focus', soon)
  observer.observe(main, { subtree: true, childList: true, attributeFilter: ['style'] })
  for (const act of acts) window.addEventListener(act, end, { capture: true, passive: true })
  soon()
  function end(): void {
    cancel()
    observer.disconnect()
    cancelAnimationFrame(frame)
    main.removeEventListener('focus', soon)
    for (const act of acts) window.removeEventListener(act, end, { capture: true })
  }
  return end
}
