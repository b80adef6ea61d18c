@echo off
rem Installs @NAME@ @VERSION@ below a directory, or removes it:
rem   install.cmd [/prefix DIRECTORY]             version @VERSION@ under every name; older ones than the one before are removed
rem   install.cmd /uninstall [/prefix DIRECTORY]  all versions and names; configuration stays
rem Every version keeps this script. To go back to a version, run DIRECTORY\versions\@NAME@-VERSION\install.cmd /prefix DIRECTORY
setlocal
set "name=@NAME@"
set "prefix=%ProgramFiles%\Gatepass"
rem Below a 32-bit parent, such as a management agent, ProgramFiles is the folder for 32-bit programs.
if defined ProgramW6432 set "prefix=%ProgramW6432%\Gatepass"
set "action=install"
set "here=%~dp0"

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
set "prefix=%~f2"
shift
shift
goto arguments

:install
set "home=%prefix%\versions\%name%-@VERSION@"
if exist "%prefix%\" goto prefix_is_there
mkdir "%prefix%"
if not exist "%prefix%\" goto not_made
rem The system and administrators may write, users may read and run, an owner no more than that, and others have no access.
icacls "%prefix%" /inheritance:r /grant:r "*S-1-5-18:(OI)(CI)F" "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-32-545:(OI)(CI)RX" "*S-1-3-4:(OI)(CI)RX" >nul
if not "%errorlevel%"=="0" goto not_made
:prefix_is_there
if /i "%here%"=="%home%\" goto version_is_there
if not exist "%home%\" mkdir "%home%"
for %%F in (%name%.exe install.cmd THIRD-PARTY-NOTICES.txt) do call :copy_file "%%F"
:version_is_there
rem Checked before any name is linked to the version.
"%home%\%name%.exe" --version >nul
if not "%errorlevel%"=="0" goto not_started
if exist "%home%\names" del "%home%\names"
for %%L in (%name%.exe @LINKS@) do echo %%L>>"%home%\names"
set "failed="
for %%L in (%name%.exe @LINKS@) do call :replace_name "%%L"
if defined failed goto not_made
rem The version before this one: which version the names ran, or what was noted when this one was first installed.
set "current="
set "previous="
if exist "%prefix%\versions\%name%.current" set /p current=<"%prefix%\versions\%name%.current"
if exist "%home%\previous" set /p previous=<"%home%\previous"
if not "%current%"=="@VERSION@" set "previous=%current%"
>"%prefix%\versions\%name%.current" echo @VERSION@
rem Where the version before is not known, everything stays.
if not defined previous exit /b 0
>"%home%\previous" echo %previous%
pushd "%prefix%\versions"
for %%N in (0 1 2 3 4 5 6 7 8 9) do call :remove_older_versions %%N
popd
exit /b 0

:remove_older_versions
for /d %%D in (%name%-%1*) do call :remove_older "%%D"
exit /b 0

:remove_older
if /i "%~1"=="%name%-@VERSION@" exit /b 0
if /i "%~1"=="%name%-%previous%" exit /b 0
if /i "%here%"=="%prefix%\versions\%~1\" exit /b 0
if not exist "%~1\names" exit /b 0
rem A name that this version does not have still runs the version that it came with.
set "named="
for /f "usebackq" %%L in ("%~1\names") do call :find_name "%%L"
if defined named exit /b 0
rem A program that runs cannot be deleted, and then its version stays as it is.
del /f "%~1\%name%.exe" 2>nul
if exist "%~1\%name%.exe" exit /b 0
rmdir /s /q "%~1" 2>nul
if exist "%~1\" echo install.cmd: warning: the old version "%prefix%\versions\%~1" cannot be removed>&2
exit /b 0

:find_name
if not exist "%prefix%\%~1" exit /b 0
for %%L in (%name%.exe @LINKS@) do if /i "%%L"=="%~1" exit /b 0
set "named=yes"
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
copy /y "%here%%~1" "%home%\%~1" >nul
if exist "%home%\%~1.old" del "%home%\%~1.old" 2>nul
exit /b 0

rem A running program can be renamed, but not replaced. The old file is deleted as soon as it no longer runs.
:replace_name
set "target=%prefix%\%~1"
if exist "%target%.new" del "%target%.new"
mklink /H "%target%.new" "%home%\%name%.exe" >nul 2>nul
if not exist "%target%.new" copy /y "%home%\%name%.exe" "%target%.new" >nul
for %%S in (old old2 old3) do if exist "%target%.%%S" del "%target%.%%S" 2>nul
rem One that runs since the upgrade before keeps its name.
set "aside="
for %%S in (old3 old2 old) do if not exist "%target%.%%S" set "aside=%target%.%%S"
if defined aside if exist "%target%" move /y "%target%" "%aside%" >nul
move /y "%target%.new" "%target%" >nul
if exist "%target%.new" set "failed=yes"
if defined aside if exist "%aside%" del "%aside%" 2>nul
exit /b 0

:uninstall
set "remained="
set "own="
for %%L in (%name%.exe @LINKS@) do call :remove_name "%%L"
if not exist "%prefix%\versions\" goto versions_removed
rem Versions begin with a digit: a name that only begins with this one belongs to another program.
cd /d "%prefix%\versions"
for %%N in (0 1 2 3 4 5 6 7 8 9) do call :remove_versions %%N
call :remove_file "%prefix%\versions\%name%.current"
:versions_removed
cd /d "%SystemRoot%"
if defined remained goto not_removed
if not defined own goto removed
rem In one line, because the command deletes this script itself.
rmdir /s /q "%own%" >nul 2>nul & rmdir "%prefix%\versions" 2>nul & rmdir "%prefix%" 2>nul & if exist "%own%" (echo install.cmd: not removed: "%own%">&2 & exit /b 2) else exit /b 0
:removed
rmdir "%prefix%\versions" 2>nul
rmdir "%prefix%" 2>nul
exit /b 0

:not_removed
echo install.cmd: hint: end the programs that run from there, then run this again as an administrator>&2
exit /b 2

:remove_versions
for /d %%D in (%name%-%1*) do call :remove_version "%prefix%\versions\%%D"
exit /b 0

rem An older or newer version may have other names. This script's own version is removed last.
:remove_version
if exist "%~1\names" for /f "usebackq" %%L in ("%~1\names") do call :remove_name "%%L"
for %%F in ("%~1\%name%.exe" "%~1\%name%.exe.old") do call :remove_file "%%~F"
if exist "%~1\%name%.exe" exit /b 0
if exist "%~1\%name%.exe.old" exit /b 0
if /i "%here%"=="%~1\" set "own=%~1"
if /i "%here%"=="%~1\" exit /b 0
rmdir /s /q "%~1" 2>nul
call :report_remaining "%~1"
exit /b 0

:remove_name
if defined removed_%~1 exit /b 0
set "removed_%~1=yes"
for %%F in ("%prefix%\%~1" "%prefix%\%~1.new" "%prefix%\%~1.old" "%prefix%\%~1.old2" "%prefix%\%~1.old3") do call :remove_file "%%~F"
exit /b 0

:remove_file
if exist "%~1" del /f "%~1" 2>nul
:report_remaining
if not exist "%~1" exit /b 0
echo install.cmd: not removed: "%~1">&2
set "remained=yes"
exit /b 0
