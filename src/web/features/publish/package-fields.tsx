import { Flex, Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { type RememberedPackage, usePreferences } from '../../ui/device-preferences.ts'
import { FormField } from '../../ui/form-field.tsx'
import { packageText } from '../../domain/package/package-links.ts'
import css from './publish.module.css'
import { type DraftMistakes, type PublishDraft, withReference } from './publish-draft.ts'

/** As many as fit in two lines. */
const mostOffered = 6

/** The package that is attested: its name, digest and repository, and those that were used before. */
export function PackageFields({
  draft,
  mistakes,
  onChange,
}: {
  draft: PublishDraft
  mistakes: DraftMistakes
  onChange: (draft: PublishDraft) => void
}): ReactElement {
  const read = readPackageReference(draft.reference)
  return (
    <Flex component="section" direction="column" gap={8} aria-label="Which package">
      <Text component="h2" fw={600}>
        Which package
      </Text>
      <div className={css.fields}>
        <FormField
          name="reference"
          label="Package"
          isWide
          value={draft.reference}
          mistake={mistakes.reference}
          example="pkg:maven/com.acme/shop@1.2, registry/shop/app:1.2@sha256:…, com.acme:shop:1.2"
          hint={
            read.ok
              ? `Read as ${read.reference.form}: ${packageText(read.reference.address)}`
              : 'Package URL, image reference, Maven coordinates, or the address of its page'
          }
          onChange={(text) => {
            onChange(withReference(draft, text))
          }}
        />
        <FormField
          name="sha256"
          label="SHA-256 digest"
          value={draft.sha256}
          mistake={mistakes.sha256}
          example="64 hexadecimal digits"
          onChange={(sha256) => {
            onChange({ ...draft, sha256 })
          }}
        />
        <FormField
          name="repositoryUrl"
          label="Repository"
          value={draft.repositoryUrl}
          mistake={mistakes.repositoryUrl}
          example="registry.example.com/shop"
          onChange={(repositoryUrl) => {
            onChange({ ...draft, repositoryUrl })
          }}
        />
      </div>
      <Remembered
        onChoose={({ address, sha256, repositoryUrl }) => {
          onChange({ ...draft, reference: packageText(address), sha256, repositoryUrl })
        }}
      />
    </Flex>
  )
}

function Remembered({
  onChoose,
}: {
  onChoose: (chosen: RememberedPackage) => void
}): ReactElement | null {
  const { packages = [] } = usePreferences()
  if (packages.length === 0) return null
  return (
    <Group gap="4px 8px" role="group" aria-label="Packages used on this device">
      <Text span inherit c="dimmed">
        Used on this device:
      </Text>
      {packages.slice(0, mostOffered).map((one) => (
        <button
          key={`${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`}
          type="button"
          className={css.offer}
          title={`sha256:${one.sha256} in ${one.repositoryUrl}`}
          onClick={() => {
            onChoose(one)
          }}
        >
          {packageText(one.address)}
        </button>
      ))}
    </Group>
  )
}
