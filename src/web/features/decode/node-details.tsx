import type { ReactElement } from 'react'
import { type JsonTree, sourceOf, stringOf } from '../../../attestation/json-tree.ts'
import { addressOf } from '../../../attestation/payload-tree.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import css from './payload-tree-view.module.css'
import { StrangerLink } from './stranger-link.tsx'
import { Visible } from './visible.tsx'

/** The address and the whole value of the node that is looked at. */
export function NodeDetails({ tree, node }: { tree: JsonTree; node: number }): ReactElement {
  const address = addressOf(tree, node)
  const value = stringOf(tree, node) ?? sourceOf(tree, node)
  return (
    <div className={css.details}>
      <div className={css.address}>
        <code>{visibleText(address.slice(0, 500))}</code>
        <CopyButton text={address} what="address of the value" />
      </div>
      <div className={css.whole}>
        <StrangerLink address={value}>
          <Visible text={value} most={4_000} />
        </StrangerLink>
        <CopyButton text={value} what="value" />
      </div>
    </div>
  )
}
