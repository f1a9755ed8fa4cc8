import { type ReactElement, useMemo } from 'react'
import { Link } from 'react-router'
import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import { countText } from '../../../protocol/count.ts'
import { bytesPerLine, hexLine } from './hex-lines.ts'
import css from './item-view.module.css'
import { PartButtons } from './part-buttons.tsx'
import { PayloadTreeView } from './payload-tree-view.tsx'
import { mostRows, PlainLines } from './plain-lines.tsx'
import linesCss from './plain-lines.module.css'
import { rowStarts, rowText } from './text-lines.ts'
import type { ViewAddressState } from './use-view-address.ts'
import { type PayloadView, payloadViews } from './view-address.ts'
import { Visible } from './visible.tsx'

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
      <div className={css.tools}>
        <nav className={css.switch} aria-label="Ways to look at the payload">
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
        <span className={css.dim}>{countText(payload.length)} bytes</span>
        <PartButtons
          what="payload"
          fileName={content.kind === 'json' ? 'payload.json' : 'payload.bin'}
          content={() => payload}
          copied={text === undefined ? undefined : () => text}
        />
      </div>
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
              <span className={linesCss.offset}>{offset}</span>
              <span className={linesCss.bytes}>{hex}</span>
              <span className={linesCss.letters}>{letters}</span>
            </>
          )
        }}
      />
      {count > mostRows && (
        <p className={css.dim}>
          The first {countText(mostRows * bytesPerLine)} bytes are shown; the download has them all.
        </p>
      )}
    </>
  )
}
