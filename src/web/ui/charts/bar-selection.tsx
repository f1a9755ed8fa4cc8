import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useRef,
  useState,
} from 'react'
import { type ChartBar, type ChartSeries, valuesText } from './bar-scale.ts'
import css from './charts.module.css'

interface BarRange {
  readonly first: number
  readonly last: number
}

interface Drawn {
  readonly from: number
  readonly to: number
  readonly by: 'pointer' | 'keys'
}

/** Lets bars be chosen: one by a click, some by drawing over them, or by two handles with arrow keys and Enter. */
export function BarSelection({
  bars,
  series,
  count,
  selectLabel = 'Select bars: set both ends with the arrow keys, then press Enter',
  onSelect,
  onDrawing,
  children,
}: {
  bars: readonly ChartBar[]
  series: readonly ChartSeries[]
  /** How many bars have room. */
  count: number
  selectLabel?: string
  onSelect: (first: number, last: number) => void
  /** Something begins to be drawn, or it ends: until then the bars must stay those that it is drawn over. */
  onDrawing: (isDrawing: boolean) => void
  children: ReactNode
}): ReactElement {
  const [drawn, setDrawn] = useState<Drawn>()
  const area = useRef<HTMLDivElement>(null)
  const most = bars.length - 1
  const range = drawn && rangeOf(drawn.from, drawn.to)

  function indexAt({ clientX }: PointerEvent): number {
    const { left, width } = area.current?.getBoundingClientRect() ?? { left: 0, width: 1 }
    return Math.min(most, Math.max(0, Math.floor(((clientX - left) / width) * count)))
  }

  function draw(next: Drawn): void {
    setDrawn(next)
    onDrawing(true)
  }

  function finish(wanted?: BarRange): void {
    setDrawn(undefined)
    onDrawing(false)
    if (wanted !== undefined) onSelect(wanted.first, wanted.last)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (range === undefined || (event.key !== 'Enter' && event.key !== 'Escape')) return
    event.preventDefault()
    finish(event.key === 'Enter' ? range : undefined)
  }

  const handle = (end: keyof BarRange): ReactElement => {
    const now = range ?? { first: 0, last: most }
    const [min, max] = end === 'first' ? [0, now.last] : [now.first, most]
    const bar = bars[now[end]]
    return (
      <Handle
        label={end === 'first' ? 'From' : 'To'}
        left={(end === 'first' ? now.first : now.last + 1) / count}
        now={now[end]}
        min={min}
        max={max}
        text={bar === undefined ? '' : `${bar.label}: ${valuesText(series, bar)}`}
        onSet={(to) => {
          const next = { ...now, [end]: to }
          draw({ from: next.first, to: next.last, by: 'keys' })
        }}
      />
    )
  }

  return (
    <div
      className={css.selection}
      role="group"
      aria-label={selectLabel}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        const at = indexAt(event)
        draw({ from: at, to: at, by: 'pointer' })
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId) && drawn !== undefined) {
          draw({ ...drawn, to: indexAt(event) })
        }
      }}
      onPointerUp={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId) || drawn === undefined) return
        // What the last move drew may not be rendered yet.
        finish(rangeOf(drawn.from, indexAt(event)))
      }}
      onPointerCancel={() => {
        finish()
      }}
      onKeyDown={onKeyDown}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (drawn?.by === 'keys' && !currentTarget.contains(relatedTarget)) finish()
      }}
    >
      {children}
      <div className={css.area} ref={area}>
        {range !== undefined && (
          <div
            className={css.range}
            style={{
              left: `${(100 * range.first) / count}%`,
              width: `${(100 * (range.last - range.first + 1)) / count}%`,
            }}
          />
        )}
        {handle('first')}
        {handle('last')}
      </div>
    </div>
  )
}

function rangeOf(one: number, other: number): BarRange {
  return { first: Math.min(one, other), last: Math.max(one, other) }
}

function Handle({
  label,
  left,
  now,
  min,
  max,
  text,
  onSet,
}: {
  label: string
  /** A share of the width. */
  left: number
  now: number
  min: number
  max: number
  text: string
  onSet: (to: number) => void
}): ReactElement {
  const steps: Readonly<Partial<Record<string, number>>> = {
    ArrowLeft: now - 1,
    ArrowDown: now - 1,
    ArrowRight: now + 1,
    ArrowUp: now + 1,
    Home: min,
    End: max,
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      className={css.handle}
      style={{ left: `${100 * left}%` }}
      aria-label={label}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={now}
      aria-valuetext={text}
      onKeyDown={(event) => {
        const to = steps[event.key]
        if (to === undefined) return
        event.preventDefault()
        onSet(Math.min(max, Math.max(min, to)))
      }}
    />
  )
}
