import {
  type ComponentType,
  createElement,
  memo,
  type ReactElement,
  useEffect,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import css from './charts.module.css'

/** Drawings that wait, those that began to wait first at the front. */
const waiting = new Map<object, () => void>()

/**
 * The drawing of a chart, at its first and each later time in a frame of its own: several charts that
 * come or change together would keep the browser from answering. Its place is kept free until then.
 */
export function inTurn<Props extends object>(Plot: ComponentType<Props>): ComponentType<Props> {
  const Drawing = memo(Plot)
  return function Turn(props: Props): ReactElement {
    const drawn = useInTurn(props)
    return drawn === undefined ? <div className={css.plot} /> : createElement(Drawing, drawn)
  }
}

/** The latest value whose turn has come. */
function useInTurn<T>(latest: T): T | undefined {
  const [drawn, setDrawn] = useState<{ readonly value: T }>()
  const [owner] = useState(() => ({}))
  useEffect(() => {
    if (waiting.size === 0) requestAnimationFrame(drawNext)
    // What waits already keeps its place.
    waiting.set(owner, () => {
      setDrawn({ value: latest })
    })
  }, [owner, latest])
  useEffect(
    () => () => {
      waiting.delete(owner)
    },
    [owner],
  )
  return drawn?.value
}

function drawNext(): void {
  const [first] = waiting
  if (first === undefined) return
  const [owner, draw] = first
  waiting.delete(owner)
  if (waiting.size > 0) requestAnimationFrame(drawNext)
  // Within this frame, as React would draw it together with the next.
  flushSync(draw)
}
