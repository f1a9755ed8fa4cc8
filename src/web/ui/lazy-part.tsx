import {
  type ComponentType,
  createContext,
  createElement,
  lazy,
  type LazyExoticComponent,
  type ReactElement,
  type ReactNode,
  startTransition,
  Suspense,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import css from './lazy-part.module.css'
import { Notice } from './notice.tsx'
import { useDerivedFromNow } from './time.tsx'

/** How often a part that could not be loaded is asked for again, ms. */
const pause = 10_000

type Load<Props> = () => Promise<ComponentType<Props>>

/** What is opened above the page: by what, how often or whether, and what closes it. */
interface Popup {
  readonly trigger?: ReactNode
  readonly opened?: boolean | number
  readonly onClose?: () => void
}

/**
 * A part of a page whose code is loaded with its first use; meanwhile there is `waiting` in its place.
 * Where the code can't be loaded all else stays: the part says so in its place, unless it `isQuiet`,
 * and comes once the server is back. What only a reload brings waits for that, but for one that
 * `reloads` the page itself, as nobody may be there.
 */
export function lazyPart<Props extends object>(
  load: Load<Props>,
  options: { waiting?: (props: Props) => ReactNode; isQuiet?: boolean; reloads?: boolean } = {},
): ComponentType<Props> {
  const { waiting, isQuiet, reloads } = options
  return part(load, isQuiet ? NothingYet : MissingPart, waiting, reloads)
}

/**
 * The same for what somebody opens above the page. Its trigger is there from the start, and the bar of
 * pages (styles.css) while its code is loaded; where that can't be, that is said over the page, and
 * opening it anew loads it anew.
 */
export function lazyPopup<Props extends Popup>(load: Load<Props>): ComponentType<Props> {
  return part(load, MissingPopup, ({ trigger }) => (
    <>
      {trigger}
      <span className="opening" role="progressbar" aria-label="Loading" />
    </>
  ))
}

/** Loads what is shown by the part around it anew; whether only a reload of the page does. */
const AgainContext = createContext({ again: (): void => undefined, isLost: (): boolean => false })

function part<Props extends object>(
  load: Load<Props>,
  Missing: ComponentType<Props>,
  waiting: ((props: Props) => ReactNode) | undefined,
  reloads = false,
): ComponentType<Props> {
  let hasFailed = false
  let isLost = false
  let latest = begin()

  function begin(): LazyExoticComponent<ComponentType<Props>> {
    const isRetry = hasFailed
    hasFailed = false
    return lazy(async () => {
      try {
        if (isRetry) await loadMissingStyles()
        return { default: await load() }
      } catch {
        hasFailed = true
        isLost = isRetry && (await isServerThere())
        if (isLost && reloads) reload()
        return { default: Missing }
      }
    })
  }

  return function Part(props: Props): ReactElement {
    const [Content, setContent] = useState<ComponentType<Props>>(() => latest)
    const [wasMissing] = useState(() => hasFailed)
    const [context] = useState(() => ({
      again: () => {
        if (hasFailed) latest = begin()
        // What is shown stays until it has come, or failed again.
        startTransition(() => {
          setContent(() => latest)
        })
      },
      isLost: () => isLost,
    }))
    useEffect(() => {
      if (wasMissing) context.again()
    }, [wasMissing, context])
    return (
      <AgainContext value={context}>
        <Suspense fallback={waiting?.(props)}>{createElement(Content, props)}</Suspense>
      </AgainContext>
    )
  }
}

/**
 * Whether the server answers. Then only a reload brings a module that still can't be loaded: Firefox
 * asks for one only once until then, and after an update of Sightline it has another name.
 */
async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch(location.href, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
}

function reload(): void {
  location.reload()
}

/** What imports a module asks for its style sheets only once. */
async function loadMissingStyles(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')
  const missing = [...links].filter(({ sheet }) => sheet === null)
  await Promise.all(
    missing.map(
      (link) =>
        new Promise((resolve, reject) => {
          const { rel, href, crossOrigin, nonce } = link
          const anew = Object.assign(document.createElement('link'), {
            rel,
            href,
            crossOrigin,
            nonce,
          })
          anew.addEventListener('load', resolve)
          anew.addEventListener('error', reject)
          link.replaceWith(anew)
        }),
    ),
  )
}

/** Asks for the part around it anew, now and then. */
function useRetries(): void {
  const { again } = useContext(AgainContext)
  const turn = useDerivedFromNow((now) => Math.floor(now / pause))
  const first = useRef(turn)
  useEffect(() => {
    if (turn !== first.current) again()
  }, [turn, again])
}

function NothingYet(): null {
  useRetries()
  return null
}

function MissingPart(): ReactElement {
  useRetries()
  return <MissingNotice />
}

function MissingPopup({ trigger, opened = true, onClose }: Popup): ReactElement {
  const { again } = useContext(AgainContext)
  const [closed, setClosed] = useState<Popup['opened']>(false)
  const before = useRef(opened)
  useEffect(() => {
    if (opened !== before.current && opened !== false) again()
    before.current = opened
  }, [opened, again])
  return (
    <>
      {trigger}
      {opened !== false && opened !== closed && (
        <div className={css.over}>
          <MissingNotice
            onClose={() => {
              setClosed(opened)
              onClose?.()
            }}
          />
        </div>
      )}
    </>
  )
}

function MissingNotice({ onClose }: { onClose?: () => void }): ReactElement {
  const { again, isLost } = useContext(AgainContext)
  const needsReload = isLost()
  return (
    <Notice
      tone="bad"
      role="alert"
      action={
        <span className={css.actions}>
          <button type="button" onClick={needsReload ? reload : again}>
            {needsReload ? 'Reload' : 'Try again'}
          </button>
          {onClose && (
            <button type="button" onClick={onClose}>
              Close
            </button>
          )}
        </span>
      }
    >
      Can't load this part of the page.{' '}
      {needsReload ? 'Reload the page to get it.' : 'Check your connection, then try again.'}
    </Notice>
  )
}
