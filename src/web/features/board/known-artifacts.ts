import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { KnownArtifact } from '../../../policy/board-list.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { configQuery } from '../../data/core/proxy-config.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { scanNames } from '../../domain/package/remembered-packages.ts'

/** What is known here beside the board itself. */
export interface KnownHere {
  readonly artifactOf: KnownArtifact
  /** Names of scans that were used here or stand in the configuration, those used last first. */
  readonly scans: readonly string[]
}

/** Digests and repositories of packages that were looked at here or are configured. */
export function useKnownHere(): KnownHere {
  const { packages: remembered } = usePreferences()
  const { data } = useQuery(configQuery(useRequest()))
  return useMemo(() => {
    const configured = [
      ...(data?.packages ?? []),
      ...(data?.boards ?? []).flatMap((b) => b.packages),
    ]
    const byPath = new Map<string, { sha256: string; repositoryUrl: string }>()
    for (const { purl, sha256, repositoryUrl } of configured) {
      const read = readPackageReference(purl)
      if (read.ok) byPath.set(packagePath(read.reference.address), { sha256, repositoryUrl })
    }
    for (const { address, sha256, repositoryUrl } of [...(remembered ?? [])].reverse()) {
      byPath.set(packagePath(address), { sha256, repositoryUrl })
    }
    return {
      artifactOf: (address) => byPath.get(packagePath(address)),
      scans: scanNames([...(remembered ?? []), ...configured, ...(data?.boards ?? [])]),
    }
  }, [data, remembered])
}
