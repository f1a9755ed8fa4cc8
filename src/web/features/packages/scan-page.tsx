import type { ReactElement } from 'react'
import { policyScanPath } from '../../../protocol/package-address.ts'
import { readRepositoryUrl, readSha256 } from '../../../protocol/package-artifact.ts'
import type { FieldMistakes } from './form-fields.ts'
import { knownOf, useKnownPackages } from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import { packageText } from '../../domain/package/package-words.ts'
import css from './page.module.css'
import { ScanScreen } from './scan-screen.tsx'
import { useAddressedPackage } from './use-addressed-package.ts'

/** One policy scan of one package; where the address does not say of which artifact, it is asked. */
export function ScanPage(): ReactElement {
  const { address, scan, ...told } = useAddressedPackage()
  const known = useKnownPackages()
  const sha256 = readSha256(told.sha256)
  const repositoryUrl = readRepositoryUrl(told.repositoryUrl)
  if (sha256.ok && repositoryUrl.ok) {
    const question = { address, scan, sha256: sha256.value, repositoryUrl: repositoryUrl.value }
    const key = `${policyScanPath(address, scan)} ${question.sha256} ${question.repositoryUrl}`
    return <ScanScreen key={key} question={question} />
  }
  const [before] = knownOf(known, address)
  const mistakes: FieldMistakes = {
    ...(sha256.ok || told.sha256 === '' ? {} : { sha256: sha256.mistake }),
    ...(repositoryUrl.ok || told.repositoryUrl === ''
      ? {}
      : { repositoryUrl: repositoryUrl.mistake }),
  }
  return (
    <div className={css.page}>
      <h1 className={css.sentence}>
        Which artifact of {packageText(address)} is meant? Its digest and repository are needed.
      </h1>
      <PackageForm
        key={`${policyScanPath(address, scan)} ${told.sha256} ${told.repositoryUrl}`}
        initial={{
          reference: packageText(address),
          sha256: told.sha256 || (before?.sha256 ?? ''),
          repositoryUrl: told.repositoryUrl || (before?.repositoryUrl ?? ''),
          scan,
        }}
        refused={mistakes}
        scans={known.scans}
      />
    </div>
  )
}
