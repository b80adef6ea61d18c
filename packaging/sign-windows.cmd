@echo off
rem Signs one file with the certificate of SIGN_WINDOWS_THUMBPRINT, from the store of this machine or a token; does nothing
rem without that variable. The tool is the newest one of the Windows SDK for this processor, or the one on PATH.
setlocal
if "%SIGN_WINDOWS_THUMBPRINT%"=="" exit /b 0
set tool=
for /f "delims=" %%f in ('dir /b /s /o:n "%ProgramFiles(x86)%\Windows Kits\10\bin\signtool.exe" 2^>nul ^| findstr /i "\\%PROCESSOR_ARCHITECTURE:amd64=x64%\\signtool.exe"') do set "tool=%%f"
if not defined tool for %%f in (signtool.exe) do set "tool=%%~$PATH:f"
if not defined tool (
  echo sign-windows.cmd: there is no signtool.exe on this machine 1>&2
  echo sign-windows.cmd: hint: install the signing tools of the Windows SDK 1>&2
  exit /b 3
)
"%tool%" sign /sha1 %SIGN_WINDOWS_THUMBPRINT% /fd sha256 /tr http://timestamp.digicert.com /td sha256 %1
