import { Group, Text } from '@mantine/core'
import { type ReactElement, type ReactNode, useMemo } from 'react'
import { Link } from 'react-router'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { countText } from '../../../protocol/count.ts'
import { cutText } from '../../../protocol/untrusted-text.ts'
import { useFixedRows } from './long-list.tsx'
import { PayloadTreeView } from './payload-tree-view.tsx'
import { PartButtons, Visible } from './tab-parts.tsx'
import css from './decode.module.css'
import { type PayloadView, payloadViews, type ViewAddressState } from './view-address.ts'

const words: Readonly<Record<PayloadView, string>> = { tree: 'Tree', text: 'Text', hex: 'Hex' }

/** The payload: as a tree, as its text, as its bytes. */
export function PayloadTab({
  item,
  state,
}: {
  item: DecodedItem
  state: ViewAddressState
}): ReactElement {
  const { payload, content } = item
  const possible = payloadViews.filter((view) => isPossible(view, item))
  const view = possible.find((one) => one === state.address.view) ?? possible[0] ?? 'hex'
  const text = useMemo(() => textOf(item), [item])
  return (
    <>
      <Group gap="4px 8px">
        <nav className={css.switch} aria-label="Payload views">
          {possible.map((one) => (
            <Link
              key={one}
              to={state.linkTo({ view: one })}
              replace
              aria-current={one === view ? 'page' : undefined}
            >
              {words[one]}
            </Link>
          ))}
        </nav>
        <Text span inherit c="dimmed">
          {countText(payload.length)} bytes
        </Text>
        <PartButtons
          what="payload"
          fileName={content.kind === 'json' ? 'payload.json' : 'payload.bin'}
          content={() => payload}
          copied={text === undefined ? undefined : () => text}
        />
      </Group>
      {view === 'tree' && content.kind === 'json' && (
        <PayloadTreeView
          key={state.address.item}
          tree={content.tree}
          search={state.address.search}
          onSearch={(search) => {
            state.change({ search })
          }}
        />
      )}
      {view === 'text' && text !== undefined && <TextLines text={text} />}
      {view === 'hex' && <HexLines bytes={payload} />}
    </>
  )
}

function isPossible(view: PayloadView, { content }: DecodedItem): boolean {
  if (view === 'tree') return content.kind === 'json'
  return view === 'hex' || content.kind === 'json' || content.kind === 'text'
}

function textOf({ content }: DecodedItem): string | undefined {
  if (content.kind === 'json') return content.tree.text
  return content.kind === 'text' ? content.text : undefined
}

function TextLines({ text }: { text: string }): ReactElement {
  const starts = useMemo(() => rowStarts(text), [text])
  return (
    <PlainLines
      label="Payload as text"
      count={starts.length}
      row={(index) => <Visible text={rowText(text, starts, index)} />}
    />
  )
}

function HexLines({ bytes }: { bytes: Uint8Array }): ReactElement {
  const count = Math.ceil(bytes.length / bytesPerLine)
  return (
    <>
      <PlainLines
        label="Payload as hexadecimal"
        count={count}
        row={(index) => {
          const { offset, hex, letters } = hexLine(bytes, index)
          return (
            <>
              <Text span inherit mr={16} c="dimmed" style={{ userSelect: 'none' }}>
                {offset}
              </Text>
              {hex.padEnd(49)}
              <Text span inherit ml={16} c="var(--code-value)">
                {letters}
              </Text>
            </>
          )
        }}
      />
      {count > mostRows && (
        <Text inherit c="dimmed">
          The first {countText(mostRows * bytesPerLine)} bytes are shown. Download the payload to
          see all of them.
        </Text>
      )}
    </>
  )
}

const rowHeight = 20

/** As many rows fit into the height that browsers give an element. */
const mostRows = 800_000

/** Rows of text of any number, of which only those in sight are in the document. */
function PlainLines({
  label,
  count,
  row,
}: {
  label: string
  count: number
  row: (index: number) => ReactNode
}): ReactElement {
  const { setScroller, height, rows } = useFixedRows(Math.min(count, mostRows), rowHeight)
  return (
    <div
      ref={setScroller}
      className={`${css.scroller} ${css.code}`}
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <div style={{ height }}>
        {rows.map(({ index, top }) => (
          <div key={index} className={css.row} style={{ transform: `translateY(${top}px)` }}>
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  )
}

/** Bytes in one line of a hex dump. */
const bytesPerLine = 16

/** The line of a hex dump at an index from 0: offset, bytes, and the letters that they are in ASCII. */
export function hexLine(
  bytes: Uint8Array,
  index: number,
): Readonly<Record<'offset' | 'hex' | 'letters', string>> {
  const from = index * bytesPerLine
  const part = bytes.subarray(from, from + bytesPerLine)
  const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, '0'))
  const letters = Array.from(part, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·',
  )
  return {
    offset: from.toString(16).padStart(8, '0'),
    hex: `${hex.slice(0, 8).join(' ')}  ${hex.slice(8).join(' ')}`.trimEnd(),
    letters: letters.join(''),
  }
}

/** A line longer than this goes on in the next row, so that no row is endless. */
const longest = 160

/** Where each row of a text begins; the row after the last would begin at its end. */
export function rowStarts(text: string): Int32Array {
  const starts: number[] = []
  for (let line = 0; line <= text.length;) {
    const feed = text.indexOf('\n', line)
    const end = feed === -1 ? text.length : feed
    for (let at = line; at < end || at === line;) {
      starts.push(at)
      at += cutText(text.slice(at, at + longest + 1), longest).length || longest
    }
    if (feed === -1) break
    line = feed + 1
  }
  return Int32Array.from(starts)
}

/** The text of a row, without its line break. */
export function rowText(text: string, starts: Int32Array, row: number): string {
  return text.slice(starts[row] ?? 0, starts[row + 1] ?? text.length).replace(/\r?\n$/, '')
}
