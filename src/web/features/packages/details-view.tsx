import type { ReactElement } from 'react'
import { resultDetails } from '../../../policy/result-details.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { IdText } from '../../ui/id-text.tsx'
import { webAddress } from '../../ui/web-address.ts'
import { OutsideLink } from '../../ui/outside-link.tsx'
import css from './policy-evidence.module.css'

/** More of it is nothing to read, and is in the export. */
const longestJson = 20_000

/** What a policy found, drawn by its shape; as JSON where nobody has seen such a shape before. */
export function DetailsView({
  details,
}: {
  details: Readonly<Record<string, unknown>>
}): ReactElement | null {
  const read = resultDetails(details)
  switch (read.shape) {
    case 'none':
      return null
    case 'uris':
      return read.uris.length === 0 ? (
        <span className={css.dim}>no addresses</span>
      ) : (
        <ul aria-label="Addresses">
          {read.uris.map((uri, index) => (
            <li key={index}>
              <UriText uri={uri} />
            </li>
          ))}
        </ul>
      )
    case 'key-ids':
      return (
        <ul aria-label="Keys" className={css.keys}>
          {read.keyIds.map((keyId, index) => (
            <li key={index} data-keyid={keyId}>
              key&nbsp;
              <IdText id={keyId} />
              <CopyButton text={keyId} what={`key id ${keyId}`} />
            </li>
          ))}
        </ul>
      )
    case 'vulnerable-package':
      return (
        <>
          Vulnerable package: <code>{read.purl}</code>
          {read.predicateType !== null && (
            <div className={css.dim}>found in {read.predicateType}</div>
          )}
        </>
      )
    case 'message':
      return <>{read.message}</>
    case 'build-tool':
      return (
        <>
          Build tool: <code>{read.buildTool}</code>
        </>
      )
    case 'other': {
      const json = JSON.stringify(details, null, 2)
      return (
        <pre tabIndex={0} aria-label="Details as JSON">
          {json.length > longestJson ? `${json.slice(0, longestJson)} …` : json}
        </pre>
      )
    }
  }
}

function UriText({ uri }: { uri: string }): ReactElement {
  const leads = webAddress(uri)
  return leads === undefined ? (
    <code>{uri}</code>
  ) : (
    <OutsideLink href={leads.href} host={leads.host} text={leads.href} />
  )
}
