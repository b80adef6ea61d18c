@echo off
rem Installs @NAME@ @VERSION@ below a directory, or removes it:
rem   install.cmd [/prefix DIRECTORY]             version @VERSION@ under every name
rem   install.cmd /uninstall [/prefix DIRECTORY]  all versions and names; configuration stays
rem Every version keeps this script. To go back to a version, run DIRECTORY\versions\@NAME@-VERSION\install.cmd /prefix DIRECTORY
setlocal
set "name=@NAME@"
set "prefix=%ProgramFiles%\Gatepass"
set "action=install"

:arguments
if "%~1"=="" goto %action%
if /i "%~1"=="/uninstall" goto to_uninstall
if /i "%~1"=="/prefix" goto to_prefix
echo install.cmd: unknown argument "%~1">&2
echo install.cmd: hint: install.cmd [/uninstall] [/prefix DIRECTORY]>&2
exit /b 2
:to_uninstall
set "action=uninstall"
shift
goto arguments
:to_prefix
set "prefix=%~2"
shift
shift
goto arguments

:install
set "home=%prefix%\versions\%name%-@VERSION@"
if exist "%prefix%\" goto prefix_is_there
mkdir "%prefix%"
if not exist "%prefix%\" goto not_made
rem The system and administrators may write, users may read and run, and others have no access.
icacls "%prefix%" /inheritance:r /grant:r "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-32-545:(OI)(CI)RX" >nul
if not "%errorlevel%"=="0" goto not_made
:prefix_is_there
if /i "%~dp0"=="%home%\" goto version_is_there
if not exist "%home%\" mkdir "%home%"
for %%F in (%name%.exe install.cmd THIRD-PARTY-NOTICES.txt) do call :copy_file "%%F"
:version_is_there
rem Checked before any name is linked to the version.
"%home%\%name%.exe" --version >nul
if not "%errorlevel%"=="0" goto not_started
set "failed="
for %%L in (%name%.exe @LINKS@) do call :replace_name "%%L"
if defined failed goto not_made
exit /b 0

:not_started
echo install.cmd: "%home%\%name%.exe" does not start on this machine>&2
echo install.cmd: hint: check that the archive is for this kind of processor, and that nothing blocks the program>&2
exit /b 2

:not_made
echo install.cmd: not everything below "%prefix%" can be written>&2
echo install.cmd: hint: run it as an administrator>&2
exit /b 2

rem An older file of the same version may be running: it is renamed, as below.
:copy_file
if exist "%home%\%~1" move /y "%home%\%~1" "%home%\%~1.old" >nul
copy /y "%~dp0%~1" "%home%\%~1" >nul
if exist "%home%\%~1.old" del "%home%\%~1.old" 2>nul
exit /b 0

rem A running program can be renamed, but not replaced. The old file is deleted as soon as it no longer runs.
:replace_name
set "target=%prefix%\%~1"
if exist "%target%.new" del "%target%.new"
mklink /H "%target%.new" "%home%\%name%.exe" >nul 2>nul
if not exist "%target%.new" copy /y "%home%\%name%.exe" "%target%.new" >nul
if exist "%target%.old" del "%target%.old" 2>nul
if exist "%target%" move /y "%target%" "%target%.old" >nul
move /y "%target%.new" "%target%" >nul
if exist "%target%.new" set "failed=yes"
if exist "%target%.old" del "%target%.old" 2>nul
exit /b 0

:uninstall
for %%L in (%name%.exe @LINKS@) do if exist "%prefix%\%%L" del "%prefix%\%%L"
if not exist "%prefix%\versions\" exit /b 0
cd /d "%prefix%\versions"
rem In one line, because the command may delete this script itself.
(for /d %%D in (%name%-*) do rmdir /s /q "%%D") & cd .. & rmdir versions 2>nul & cd .. & rmdir "%prefix%" 2>nul & exit /b 0
