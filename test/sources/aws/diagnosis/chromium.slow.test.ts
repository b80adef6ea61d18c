import { startChromium } from '../../../stand-ins/browser/chromium.ts'
import { describeSignIns } from './sign-in-scenarios.ts'

describeSignIns(startChromium)
