import { startFirefox } from '../../../stand-ins/browser/firefox.ts'
import { describeEditor } from './page-scenarios.ts'

describeEditor(startFirefox)
