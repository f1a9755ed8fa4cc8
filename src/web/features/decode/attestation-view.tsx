import { type ReactElement, useState } from 'react'
import type { DecodedSuccess } from '../../../attestation/decode.ts'
import type { AttestationDesk } from '../../data/attestation/attestation-desk.ts'
import type { Compared } from './compared-digest.ts'
import { Findings } from './findings.tsx'
import { ItemList } from './item-list.tsx'
import { ItemView } from './item-view.tsx'
import { SourceTools } from './source-tools.tsx'
import { TrustedKeysPanel } from './trusted-keys-panel.tsx'
import { useTrustedKeys } from './use-trusted-keys.ts'
import type { ViewAddressState } from './use-view-address.ts'

/** What was decoded: a choice where it is several, and everything about the one that is chosen. */
export function AttestationView({
  decoded,
  desk,
  state,
  input,
  link,
  known,
  file,
  onFile,
}: {
  decoded: DecodedSuccess
  desk: AttestationDesk
  state: ViewAddressState
  /** What it was decoded from. */
  input: string | Uint8Array | Blob
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
  const isOnly = items.length === 1
  return (
    <>
      <Findings findings={decoded.mistakes} label="What could not be read" />
      {!isOnly && <ItemList items={items} desk={desk} trusted={trusted} state={state} />}
      <ItemView
        key={at}
        item={item}
        items={items}
        desk={desk}
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
        tools={<SourceTools item={item} input={input} link={link} isOnly={isOnly} />}
      />
      <div id="trusted-keys">
        <TrustedKeysPanel desk={desk} trusted={trusted} isOpen={areKeysOpen} onOpen={setKeysOpen} />
      </div>
    </>
  )
}
