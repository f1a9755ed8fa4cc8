/**
 * The permissions by their configuration values (docs/services.md#permissions), and the names that
 * people know them by.
 */
const names = {
  exportData: 'Export API',
  accessBuildDataViaApi: 'Access build data via the API',
  publishScan: 'Publish Build Scan',
  readCache: 'Read build cache data',
  writeCache: 'Read and write build cache data',
  accessDataWithoutAssociatedProject: 'Access all data without an associated project',
  administerGe: 'Administer',
} as const

export type Permission = keyof typeof names

/** What a person calls a permission. */
export function permissionName(permission: Permission): string {
  return names[permission]
}

/** Every permission there is. */
export const allPermissions: readonly Permission[] = [
  'exportData',
  'accessBuildDataViaApi',
  'publishScan',
  'readCache',
  'writeCache',
  'accessDataWithoutAssociatedProject',
  'administerGe',
]

/** Whether there is such a permission. */
export function isPermission(text: string): text is Permission {
  return Object.hasOwn(names, text)
}
