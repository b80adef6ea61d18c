/** Where device management lets no ingested template write, from Microsoft's page on Win32 and Desktop Bridge app policies. */
const closed = ['system', 'software\\microsoft', 'software\\policies\\microsoft']

/** The exceptions of the same page. */
const open = [
  'software\\policies\\microsoft\\office',
  'software\\microsoft\\office',
  'software\\microsoft\\windows\\currentversion\\explorer',
  'software\\microsoft\\internet explorer',
  'software\\policies\\microsoft\\shared tools\\proofing tools',
  'software\\policies\\microsoft\\imejp',
  'software\\policies\\microsoft\\ime\\shared',
  'software\\policies\\microsoft\\shared tools\\graphics filters',
  'software\\policies\\microsoft\\windows\\currentversion\\explorer',
  'software\\policies\\microsoft\\softwareprotectionplatform',
  'software\\policies\\microsoft\\officesoftwareprotectionplatform',
  'software\\policies\\microsoft\\windows\\windows search\\preferences',
  'software\\policies\\microsoft\\exchange',
  'software\\microsoft\\shared tools\\proofing tools',
  'software\\microsoft\\shared tools\\graphics filters',
  'software\\microsoft\\windows\\windows search\\preferences',
  'software\\microsoft\\exchange',
  'software\\policies\\microsoft\\vba\\security',
  'software\\microsoft\\onedrive',
  'software\\microsoft\\edge',
  'software\\microsoft\\edgeupdate',
]

/** Whether device management takes a template that writes to this key, which is named without its hive. */
export function isIngestibleKey(key: string): boolean {
  const isAtOrBelow = (folder: string) => `${key.toLowerCase()}\\`.startsWith(`${folder}\\`)
  return !closed.some(isAtOrBelow) || open.some(isAtOrBelow)
}
