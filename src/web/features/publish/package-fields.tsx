import { Button, Group, Text } from '@mantine/core'
import type { ReactElement } from 'react'
import { packagePath } from '../../../protocol/package-address.ts'
import { type RememberedPackage, usePreferences } from '../../ui/device-preferences.ts'
import { PackageFields as Fields, withReference } from '../../domain/package/package-fields.tsx'
import { Section } from '../../ui/page.tsx'
import { packageText } from '../../domain/package/package-links.ts'
import type { DraftMistakes, PublishDraft } from './publish-draft.ts'

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
  return (
    <Section title="Package">
      <Fields
        values={draft}
        mistakes={mistakes}
        onChange={(name, text) => {
          onChange(name === 'reference' ? withReference(draft, text) : { ...draft, [name]: text })
        }}
      />
      <Remembered
        onChoose={({ address, sha256, repositoryUrl }) => {
          onChange({ ...draft, reference: packageText(address), sha256, repositoryUrl })
        }}
      />
    </Section>
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
        <Button
          key={`${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`}
          variant="default"
          ff="monospace"
          fz="xs"
          title={`sha256:${one.sha256} in ${one.repositoryUrl}`}
          onClick={() => {
            onChoose(one)
          }}
        >
          {packageText(one.address)}
        </Button>
      ))}
    </Group>
  )
}
