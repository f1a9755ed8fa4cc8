import { useParams, useSearchParams } from 'react-router'
import type { PackageAddress } from '../../../protocol/package-address.ts'

/** What the address of a page says of a package; an empty text is not said. */
export interface AddressedPackage {
  readonly address: PackageAddress
  readonly scan: string
  readonly sha256: string
  readonly repositoryUrl: string
}

/** The package that the page's own address names. */
export function useAddressedPackage(): AddressedPackage {
  const { type = '', namespace, name = '', version = '', scan = '' } = useParams()
  const [search] = useSearchParams()
  return {
    address: { type, ...(namespace === undefined ? {} : { namespace }), name, version },
    scan,
    sha256: search.get('sha256') ?? '',
    repositoryUrl: search.get('repository') ?? '',
  }
}
