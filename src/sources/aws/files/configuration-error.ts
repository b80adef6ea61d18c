import { HelperError } from '../../../runtime/failure.ts'
import { describeLocation, locateSection, locateSetting, type ReadFiles, type SectionName } from './locate-setting.ts'

/** Where in the files a failure is fixed. */
interface Place {
  readonly section: SectionName
  /** The setting that is wrong; without one the section as a whole lacks something. */
  readonly key?: string
}

/** A failure that is fixed in the AWS files. Its hint names the line, where the files have it. */
export function toConfigurationError(files: ReadFiles, message: string, { section, key }: Place): HelperError {
  const line = key === undefined ? undefined : locateSetting(files, section, key)
  if (line) return new HelperError('not-configured', message, `correct ${describeLocation(line)}`)
  const begins = locateSection(files, section).map(describeLocation)
  const hint =
    begins.length > 0
      ? `correct the section that begins in ${begins.join(' or in ')}`
      : `correct it in ${files.configPath}`
  return new HelperError('not-configured', message, hint)
}
