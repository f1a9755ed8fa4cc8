import { Button } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import type { DecodedSuccess } from '../../../attestation/decode.ts'
import type { AttestationRunner } from '../../data/attestation/attestation-runner.ts'
import { copyText } from '../../ui/copy.tsx'
import { download } from '../../ui/download.ts'
import { toast } from '../../ui/toast.ts'
import type { Compared } from './compared-digest.ts'
import { Findings } from './inspection.tsx'
import { ItemList } from './item-list.tsx'
import { ItemView } from './item-view.tsx'
import { envelopeFragment } from './envelope-input.tsx'
import { MissingKeysNotice, TrustedKeysPanel } from './trusted-keys.tsx'
import { useTrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import type { ViewAddressState } from './view-address.ts'

/** What was decoded: a choice where it is several, and everything about the one that is chosen. */
export function AttestationView({
  decoded,
  runner,
  state,
  link,
  known,
  file,
  onFile,
}: {
  decoded: DecodedSuccess
  runner: AttestationRunner
  state: ViewAddressState
  /** Its address, where it has one of its own. */
  link?: string
  known: readonly Compared[]
  file: File | undefined
  onFile: (file: File) => void
}): ReactElement {
  const trusted = useTrustedKeys()
  const [areKeysOpen, setKeysOpen] = useState(false)
  const { items } = decoded
  const at = Math.min(state.address.item, items.length - 1)
  const item = items[at] ?? decoded
  return (
    <>
      <Findings findings={decoded.mistakes} label="Unreadable parts" />
      <MissingKeysNotice trusted={trusted} />
      {items.length > 1 && (
        <ItemList items={items} runner={runner} trusted={trusted} state={state} />
      )}
      <ItemView
        key={at}
        item={item}
        items={items}
        runner={runner}
        trusted={trusted}
        state={state}
        known={known}
        file={file}
        onFile={onFile}
        onAddKey={() => {
          setKeysOpen(true)
          requestAnimationFrame(() => {
            document.getElementById('trusted-keys')?.scrollIntoView({ block: 'start' })
          })
        }}
        tools={<SourceTools item={item} items={items} link={link} />}
      />
      <div id="trusted-keys">
        <TrustedKeysPanel
          runner={runner}
          trusted={trusted}
          isOpen={areKeysOpen}
          onOpen={setKeysOpen}
        />
      </div>
    </>
  )
}

/** Takes the envelope along: as text, as a file, as a link that carries it. */
function SourceTools({
  item,
  items,
  link,
}: {
  item: DecodedItem
  items: readonly DecodedItem[]
  link: string | undefined
}): ReactElement {
  async function copy(): Promise<void> {
    if (await copyText(item.text)) await toast('Envelope copied.')
  }

  async function copyLink(): Promise<void> {
    if (link !== undefined) {
      if (await copyText(link)) await toast('Link copied.')
      return
    }
    const fragment = envelopeFragment(items.map(({ text }) => text))
    if (fragment === undefined) {
      await toast(
        'Too large for a link: chat and mail programs would cut it. Send the file instead.',
      )
      return
    }
    const { origin, pathname, search } = location
    if (await copyText(`${origin}${pathname}${search}${fragment}`)) {
      await toast("Link copied. It contains the envelope, which isn't sent to any server.")
    }
  }

  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => void copy()}>
        Copy envelope
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          download(item.text, 'attestation.json')
        }}
      >
        Download envelope
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => void copyLink()}>
        Copy link
      </Button>
    </>
  )
}
