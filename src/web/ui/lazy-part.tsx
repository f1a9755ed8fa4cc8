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
  useCallback,
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
 * and comes once the server is back.
 */
export function lazyPart<Props extends object>(
  load: Load<Props>,
  { waiting, isQuiet = false }: { waiting?: (props: Props) => ReactNode; isQuiet?: boolean } = {},
): ComponentType<Props> {
  return part(load, isQuiet ? NothingYet : MissingPart, waiting)
}

/**
 * The same for what somebody opens above the page. Its trigger is there from the start; where the code
 * can't be loaded, that is said over the page, and opening it anew loads it anew.
 */
export function lazyPopup<Props extends Popup>(load: Load<Props>): ComponentType<Props> {
  return part(load, MissingPopup, ({ trigger }) => trigger)
}

/** Loads what is shown by the part around it anew. */
const AgainContext = createContext<() => void>(() => undefined)

function part<Props extends object>(
  load: Load<Props>,
  Missing: ComponentType<Props>,
  waiting: ((props: Props) => ReactNode) | undefined,
): ComponentType<Props> {
  let hasFailed = false
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
        return { default: Missing }
      }
    })
  }

  return function Part(props: Props): ReactElement {
    const [Content, setContent] = useState<ComponentType<Props>>(() => latest)
    const [wasMissing] = useState(() => hasFailed)
    const again = useCallback(() => {
      if (hasFailed) latest = begin()
      // What is shown stays until it has come, or failed again.
      startTransition(() => {
        setContent(() => latest)
      })
    }, [])
    useEffect(() => {
      if (wasMissing) again()
    }, [wasMissing, again])
    return (
      <AgainContext value={again}>
        <Suspense fallback={waiting?.(props)}>{createElement(Content, props)}</Suspense>
      </AgainContext>
    )
  }
}

/**
 * Browsers ask anew for a module that could not be loaded (HTML, fetch a single module script), but
 * what imports it asks for its style sheets only once.
 */
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
  const again = useContext(AgainContext)
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
  const again = useContext(AgainContext)
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
  const again = useContext(AgainContext)
  return (
    <Notice
      tone="bad"
      role="alert"
      action={
        <span className={css.actions}>
          <button type="button" onClick={again}>
            Try again
          </button>
          {onClose && (
            <button type="button" onClick={onClose}>
              Close
            </button>
          )}
        </span>
      }
    >
      Can't load this part of the page. Check your connection, then try again. If that doesn't help,
      reload the page.
    </Notice>
  )
}
